import type { Viewer } from '../viewer';
import { divideBudget } from './divide-budget';
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

/** A section to be rendered; each entry takes one or more lines. */
interface TextSection {
  readonly title: string;
  readonly status: Section<unknown>['status'];
  readonly count: number;
  readonly entries: LazyEntries;
  readonly partialNote: string;
  /** Separates entries, besides the line break. */
  readonly gap: string;
}

/** Together with headings and notes this fits into a tool result. */
const maxCharacters = 6_000;
/** A section ends after this many consecutive entries that are too long for what is left of its budget. */
const maxSkipped = 100;

const unavailableNote = 'Unavailable at the moment; try again';
const subusersMissing =
  'Entries of some subusers are missing, because the list of your subusers is unavailable at the moment or too long';
const gatewaysMissing = 'Some gateways are unknown at the moment; try again';

/**
 * Renders the view for a person or a model as text of limited length. Each section says how many entries were
 * left out, and a long section leaves space for the others.
 */
export function renderTopology(view: TopologyView): string {
  const sections = sectionsOf(view);
  const budgets = divideBudget(
    sections.map(({ entries }) => demandOf(entries)),
    maxCharacters,
  );
  const renderedSections = sections.map((section, index) =>
    renderSection(section, budgets[index] ?? 0),
  );
  return [introduce(view.self), '', ...renderedSections].join('\n');
}

function introduce({ nametag, userId, agentId }: Self): string {
  const agent = agentId === undefined ? '' : `, agent ${agentId}`;
  return `You are ${nametag ?? '(nametag unavailable)'} (user ${userId}${agent})`;
}

function sectionsOf(view: TopologyView): readonly TextSection[] {
  const { self, agents, crons, heartbeats, subscriptions, channels, endpoints } = view;
  const { subusers, friends, requests } = view;
  const lazyEntries = <T>(entries: readonly T[], line: (entry: T, viewer: Viewer) => string) =>
    new LazyEntries(renderEach(entries, (entry) => line(entry, self)));
  const linesOf = <T>({ entries }: Section<T>, line: (entry: T, viewer: Viewer) => string) =>
    lazyEntries(entries, line);
  const agentLines = lazyEntries(ownFirst(agents.entries, self), agentLine);
  const subscriptionLines = lazyEntries(ownFirst(subscriptions.entries, self), subscriptionLine);
  const channelLines = lazyEntries(ownFirst(channels.entries, self), channelLine);
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
  entries: LazyEntries,
  partialNote = '',
  gap = '',
): TextSection {
  return { title, status, count, entries, partialNote, gap };
}

function renderSection(section: TextSection, budget: number): string {
  const { title, status, count, entries, partialNote, gap } = section;
  if (status === 'unavailable') return `## ${title} (unknown)\n${unavailableNote}`;
  const shown = fit(entries, budget);
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
  /** Measured as JSON, like the length of tool results. */
  readonly length: number;
}

/** A section's entries, each rendered when it is first needed, because most of a large view is left out. */
class LazyEntries implements Iterable<EntryText> {
  readonly #rendered: EntryText[] = [];

  constructor(private readonly unrendered: Iterator<string, void>) {}

  *[Symbol.iterator](): Generator<EntryText> {
    for (let index = 0; ; index += 1) {
      const entry = this.#rendered[index] ?? this.#renderNext();
      if (!entry) return;
      yield entry;
    }
  }

  #renderNext(): EntryText | undefined {
    const { value: text } = this.unrendered.next();
    if (text === undefined) return undefined;
    const entry = { text, length: JSON.stringify(text).length };
    this.#rendered.push(entry);
    return entry;
  }
}

function* renderEach<T>(entries: readonly T[], textOf: (entry: T) => string) {
  for (const entry of entries) yield textOf(entry);
}

/** Returns how many characters all entries need; at most `maxCharacters`. */
function demandOf(entries: LazyEntries): number {
  let sum = 0;
  for (const { length } of entries) {
    sum += length;
    if (sum >= maxCharacters) return maxCharacters;
  }
  return sum;
}

/** Returns the entries that fit into the budget, in order, skipping any that is too long. */
function fit(entries: LazyEntries, budget: number): readonly string[] {
  const fitting: string[] = [];
  let remaining = budget;
  let skipped = 0;
  for (const { text, length } of entries) {
    if (skipped >= maxSkipped) break;
    skipped = length > remaining ? skipped + 1 : 0;
    if (length > remaining) continue;
    remaining -= length;
    fitting.push(text);
  }
  return fitting;
}

/** Orders entries: first the viewing agent or its subscriptions, then its user's others, then those of the subusers. */
function ownFirst<
  T extends Partial<Record<'id' | 'agentId', string>> & { readonly userId: string },
>(all: readonly T[], { userId, agentId }: Viewer): readonly T[] {
  const [ofAgent, ofUser, ofSubusers]: [T[], T[], T[]] = [[], [], []];
  for (const entry of all) {
    const isOfAgent = (entry.agentId ?? entry.id) === agentId;
    (isOfAgent ? ofAgent : entry.userId === userId ? ofUser : ofSubusers).push(entry);
  }
  return [...ofAgent, ...ofUser, ...ofSubusers];
}
