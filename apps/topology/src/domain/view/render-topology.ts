import type { Viewer } from '../viewer';
import { divideRoom } from './divide-room';
import {
  agentLine,
  channelLine,
  cronLine,
  endpointLine,
  friendLines,
  heartbeatLine,
  requestLine,
  subscriptionLine,
  subuserLine,
} from './topology-lines';
import type { Section, Self, TopologyView } from './topology-view';

/** A section as text: each entry is one line or more. */
interface TextSection {
  readonly title: string;
  readonly status: Section<unknown>['status'];
  readonly count: number;
  readonly entries: LazyTexts;
  readonly partialNote: string;
  /** Separates entries, besides the line break. */
  readonly gap: string;
}

/** Together with headings and notes this fits into a tool result. */
const maxCharacters = 6_000;
/** A section ends after this many consecutive entries that are too long for the room left. */
const maxSkipped = 100;

const unavailableNote = 'Unavailable at the moment; try again';
const subusersMissing = 'Entries of your subusers are unavailable at the moment; try again';
const gatewaysMissing = 'Some gateways are unknown at the moment; try again';

/**
 * The view as text for a person or model, of limited length: each section says how many entries were left
 * out, and a long section leaves room for the others.
 */
export function renderTopology(view: TopologyView): string {
  const sections = sectionsOf(view);
  const rooms = divideRoom(
    sections.map(({ entries }) => demandOf(entries)),
    maxCharacters,
  );
  const texts = sections.map((section, index) => renderSection(section, rooms[index] ?? 0));
  return [introduce(view.self), '', ...texts].join('\n');
}

function introduce({ nametag, userId, agentId }: Self): string {
  const agent = agentId === undefined ? '' : `, agent ${agentId}`;
  return `You are ${nametag ?? '(nametag unavailable)'} (user ${userId}${agent})`;
}

function sectionsOf(view: TopologyView): readonly TextSection[] {
  const { self, agents, crons, heartbeats, subscriptions, channels, endpoints } = view;
  const { subusers, friends, requests } = view;
  const textsOf = <T>(entries: readonly T[], line: (entry: T, viewer: Viewer) => string) =>
    new LazyTexts(eachText(entries, (entry) => line(entry, self)));
  const linesOf = <T>({ entries }: Section<T>, line: (entry: T, viewer: Viewer) => string) =>
    textsOf(entries, line);
  const agentLines = textsOf(ownFirst(agents.entries, self), agentLine);
  const subscriptionLines = textsOf(ownFirst(subscriptions.entries, self), subscriptionLine);
  const channelLines = textsOf(ownFirst(channels.entries, self), channelLine);
  return [
    toText('Agents', agents, agentLines, subusersMissing),
    toText('Cron Tasks', crons, linesOf(crons, cronLine), subusersMissing),
    toText('Heartbeat Tasks', heartbeats, linesOf(heartbeats, heartbeatLine), subusersMissing),
    toText('Signal Subscriptions', subscriptions, subscriptionLines, subusersMissing),
    toText('Channels', channels, channelLines, subusersMissing),
    toText('Expose Endpoints', endpoints, linesOf(endpoints, endpointLine), subusersMissing),
    ...(subusers
      ? [toText('Subusers', subusers, linesOf(subusers, subuserLine), gatewaysMissing)]
      : []),
    ...(friends
      ? [toText('Friends', friends, linesOf(friends, friendLines), gatewaysMissing, '\n')]
      : []),
    ...(requests ? [toText('Friend Requests', requests, linesOf(requests, requestLine))] : []),
  ];
}

function toText(
  title: string,
  { status, count }: Section<unknown>,
  entries: LazyTexts,
  partialNote = '',
  gap = '',
): TextSection {
  return { title, status, count, entries, partialNote, gap };
}

function renderSection(section: TextSection, room: number): string {
  const { title, status, count, entries, partialNote, gap } = section;
  if (status === 'unavailable') return `## ${title} (unknown)\n${unavailableNote}`;
  const shown = fit(entries, room);
  const leftOut = count - shown.length;
  const body = shown.join(`\n${gap}`);
  const lines = [
    ...(status === 'partial' ? [partialNote] : []),
    ...(body === '' ? [] : [body]),
    ...(leftOut > 0 ? [`… and ${leftOut} more`] : []),
  ];
  return `## ${title} (${count})\n${lines.join('\n') || 'None'}`;
}

interface EntryText {
  readonly text: string;
  /** Measured as JSON, as the length of tool results is. */
  readonly length: number;
}

/** The texts of a section, each made when it is first needed: most of a large view is left out. */
class LazyTexts implements Iterable<EntryText> {
  readonly #made: EntryText[] = [];

  constructor(private readonly rest: Iterator<string, void>) {}

  *[Symbol.iterator](): Generator<EntryText> {
    for (let index = 0; ; index += 1) {
      const entry = this.#made[index] ?? this.#makeNext();
      if (!entry) return;
      yield entry;
    }
  }

  #makeNext(): EntryText | undefined {
    const { value: text } = this.rest.next();
    if (text === undefined) return undefined;
    const entry = { text, length: JSON.stringify(text).length };
    this.#made.push(entry);
    return entry;
  }
}

function* eachText<T>(entries: readonly T[], textOf: (entry: T) => string) {
  for (const entry of entries) yield textOf(entry);
}

/** How much room all entries need; at most `maxCharacters`. */
function demandOf(entries: LazyTexts): number {
  let sum = 0;
  for (const { length } of entries) {
    sum += length;
    if (sum >= maxCharacters) return maxCharacters;
  }
  return sum;
}

/** The entries that fit into the room, in order; one that is too long does not hide those after it. */
function fit(entries: LazyTexts, room: number): readonly string[] {
  const fitting: string[] = [];
  let left = room;
  let skipped = 0;
  for (const { text, length } of entries) {
    if (skipped >= maxSkipped) break;
    skipped = length > left ? skipped + 1 : 0;
    if (length > left) continue;
    left -= length;
    fitting.push(text);
  }
  return fitting;
}

/** The viewer's own entries, then those of its user, then those of its subusers. */
function ownFirst<
  T extends Partial<Record<'id' | 'agentId', string>> & { readonly userId: string },
>(all: readonly T[], { userId, agentId }: Viewer): readonly T[] {
  const [viewers, users, others]: [T[], T[], T[]] = [[], [], []];
  for (const one of all) {
    const isViewer = (one.agentId ?? one.id) === agentId;
    (isViewer ? viewers : one.userId === userId ? users : others).push(one);
  }
  return [...viewers, ...users, ...others];
}
