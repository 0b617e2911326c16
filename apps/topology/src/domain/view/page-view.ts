import type { TopologyView } from './topology-view';

/** The paged sections by source; the sections from one source advance together. */
const sectionsBySource = {
  scope: ['agents', 'crons', 'heartbeats'],
  friends: ['friends', 'requests'],
  wiring: ['subscriptions', 'channels', 'endpoints'],
  subusers: ['subusers'],
} as const;

/** The sources that return their lists in pages. */
export const pagedSources = ['scope', 'friends', 'wiring'] as const;

export type PagedSource = (typeof pagedSources)[number];
type Source = keyof typeof sectionsBySource;
export type PagedSection = (typeof sectionsBySource)[Source][number];

/** Where a section continues: after the entry with this key, which was at the index `offset - 1`. */
export interface SectionPosition {
  readonly offset: number;
  readonly key: string;
}

/** Where the next page of the view begins. */
export interface TopologyCursor {
  /** For each source, the token of its page that is being shown; empty for the first page. */
  readonly sourceTokens: Readonly<Record<PagedSource, string>>;
  /** Where on that page each section continues; a section that has ended has no position. */
  readonly positions: Readonly<Partial<Record<PagedSection, SectionPosition>>>;
}

const start: SectionPosition = { offset: 0, key: '' };

export const firstPage: TopologyCursor = {
  sourceTokens: { scope: '', friends: '', wiring: '' },
  positions: {
    ...startsOf('scope'),
    ...startsOf('friends'),
    ...startsOf('wiring'),
    ...startsOf('subusers'),
  },
};

export interface ViewPage {
  readonly view: TopologyView;
  /** Undefined when every section has ended. */
  readonly next: TopologyCursor | undefined;
}

/**
 * Returns at most `limit` entries of each section, starting at the cursor. `nextTokens` are the tokens of the
 * source pages that follow those in the view.
 */
export function pageView(
  view: TopologyView,
  cursor: TopologyCursor,
  limit: number,
  nextTokens: TopologyCursor['sourceTokens'],
): ViewPage {
  const names = Object.values(sectionsBySource).flat();
  const slices = names.flatMap((name) => {
    const section = view[name];
    return section ? [[name, slice(section.entries, cursor.positions[name], limit)] as const] : [];
  });
  const shown = Object.fromEntries(
    slices.map(([name, { entries }]) => [name, { ...view[name], entries }]),
  );
  const positions = Object.fromEntries(
    slices.flatMap(([name, { next }]) => (next ? [[name, next]] : [])),
  ) as TopologyCursor['positions'];
  const { sourceTokens } = cursor;
  return { view: { ...view, ...shown }, next: advance({ sourceTokens, positions }, nextTokens) };
}

/** A source moves on to its next page once all its sections on the current one have been shown. */
function advance(
  { sourceTokens, positions }: TopologyCursor,
  nextTokens: TopologyCursor['sourceTokens'],
): TopologyCursor | undefined {
  const isFullyShown = (source: Source): boolean =>
    sectionsBySource[source].every((name) => !positions[name]);
  const advancing = pagedSources.filter(
    (source) => nextTokens[source] !== '' && isFullyShown(source),
  );
  const newPositions = Object.assign(
    {},
    positions,
    ...advancing.map(startsOf),
  ) as TopologyCursor['positions'];
  if (Object.keys(newPositions).length === 0) return undefined;
  const newTokens = Object.fromEntries(advancing.map((source) => [source, nextTokens[source]]));
  return { sourceTokens: { ...sourceTokens, ...newTokens }, positions: newPositions };
}

function startsOf(source: Source): TopologyCursor['positions'] {
  return Object.fromEntries(sectionsBySource[source].map((name) => [name, start]));
}

/** Every entry has one of these keys, which is unique in its section. */
type Keyed = { readonly id: string } | { readonly nametag: string };

function slice(
  all: readonly Keyed[],
  position: SectionPosition | undefined,
  limit: number,
): { entries: readonly Keyed[]; next: SectionPosition | undefined } {
  if (!position) return { entries: [], next: undefined };
  const from = findStart(all, position);
  const entries = all.slice(from, from + limit);
  const last = entries.at(-1);
  const isMore = last !== undefined && from + limit < all.length;
  return { entries, next: isMore ? { offset: from + limit, key: keyOf(last) } : undefined };
}

/**
 * Returns the index after the last entry shown, wherever that entry is now. If it was removed, the entries
 * after it have moved up by one.
 */
function findStart(all: readonly Keyed[], { offset, key }: SectionPosition): number {
  if (offset === 0) return 0;
  const index = all.findIndex((entry) => keyOf(entry) === key);
  return index < 0 ? offset - 1 : index + 1;
}

function keyOf(entry: Keyed): string {
  return 'id' in entry ? entry.id : entry.nametag;
}
