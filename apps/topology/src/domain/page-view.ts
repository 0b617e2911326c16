import type { TopologyView } from './topology-view';

/** The sections that can be long, by who tells them: those of one owner go on together. */
const groups = {
  scope: ['agents', 'crons', 'heartbeats'],
  friends: ['friends', 'requests'],
  wiring: ['subscriptions', 'channels', 'endpoints'],
  subusers: ['subusers'],
} as const;

/** Whose lists come in parts. */
export const owners = ['scope', 'friends', 'wiring'] as const;

export type Owner = (typeof owners)[number];
type Group = keyof typeof groups;
export type PagedSection = (typeof groups)[Group][number];

/** The last entry that was shown: how many came before its end, and its name in case that changes. */
export interface Place {
  readonly offset: number;
  readonly key: string;
}

/** Where a walk through the view goes on. */
export interface Walk {
  /** Which part of an owner's lists is being walked through, in the owner's own words; empty for the first. */
  readonly parts: Readonly<Record<Owner, string>>;
  /** Where in that part each section goes on; a section that has ended has no place. */
  readonly places: Readonly<Partial<Record<PagedSection, Place>>>;
}

const start: Place = { offset: 0, key: '' };

export const firstPage: Walk = {
  parts: { scope: '', friends: '', wiring: '' },
  places: {
    ...startsOf('scope'),
    ...startsOf('friends'),
    ...startsOf('wiring'),
    ...startsOf('subusers'),
  },
};

export interface ViewPage {
  readonly view: TopologyView;
  /** Undefined when every section has come to its end. */
  readonly next: Walk | undefined;
}

/**
 * At most `limit` entries of each section, from where the walk is. `nextParts` says where the owners'
 * lists go on after what the view holds.
 */
export function pageView(
  view: TopologyView,
  walk: Walk,
  limit: number,
  nextParts: Walk['parts'],
): ViewPage {
  const names = Object.values(groups).flat();
  const cuts = names.flatMap((name) => {
    const section = view[name];
    return section ? [[name, cutOut(section.entries, walk.places[name], limit)] as const] : [];
  });
  const shown = Object.fromEntries(
    cuts.map(([name, { entries }]) => [name, { ...view[name], entries }]),
  );
  const places = Object.fromEntries(
    cuts.flatMap(([name, { next }]) => (next ? [[name, next]] : [])),
  ) as Walk['places'];
  return { view: { ...view, ...shown }, next: goOn({ parts: walk.parts, places }, nextParts) };
}

/** An owner's next part begins once all sections of the present one have been shown. */
function goOn({ parts, places }: Walk, nextParts: Walk['parts']): Walk | undefined {
  const isDone = (group: Group): boolean => groups[group].every((name) => !places[name]);
  const moving = owners.filter((group) => nextParts[group] !== '' && isDone(group));
  const moved = Object.assign({}, places, ...moving.map(startsOf)) as Walk['places'];
  if (Object.keys(moved).length === 0) return undefined;
  return {
    parts: { ...parts, ...Object.fromEntries(moving.map((group) => [group, nextParts[group]])) },
    places: moved,
  };
}

function startsOf(group: Group): Walk['places'] {
  return Object.fromEntries(groups[group].map((name) => [name, start]));
}

/** Every entry has one of these, unique in its section. */
type Named = { readonly id: string } | { readonly nametag: string };

function cutOut(
  all: readonly Named[],
  place: Place | undefined,
  limit: number,
): { entries: readonly Named[]; next: Place | undefined } {
  if (!place) return { entries: [], next: undefined };
  const from = findStart(all, place);
  const entries = all.slice(from, from + limit);
  const last = entries.at(-1);
  const isMore = last !== undefined && from + limit < all.length;
  return { entries, next: isMore ? { offset: from + limit, key: keyOf(last) } : undefined };
}

/** After the last one shown, wherever it is now; if it is gone, what followed it has moved up. */
function findStart(all: readonly Named[], { offset, key }: Place): number {
  if (offset === 0) return 0;
  const index = all.findIndex((entry) => keyOf(entry) === key);
  return index < 0 ? offset - 1 : index + 1;
}

function keyOf(entry: Named): string {
  return 'id' in entry ? entry.id : entry.nametag;
}
