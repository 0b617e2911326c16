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
  readonly entries: readonly string[];
  readonly partialNote: string;
  /** Separates entries, besides the line break. */
  readonly gap: string;
}

/** Together with headings and notes this fits into a tool result. */
const maxCharacters = 6_000;

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
    sections.map(({ entries }) => entries.reduce((sum, entry) => sum + lengthOf(entry), 0)),
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
  const agentLines = ownFirst(agents.entries, self).map((agent) => agentLine(agent, self));
  const subscribed = ownFirst(subscriptions.entries, self).map((subscription) =>
    subscriptionLine(subscription, self),
  );
  const channelLines = ownFirst(channels.entries, self).map((channel) =>
    channelLine(channel, self),
  );
  const linesOf = <T>({ entries }: Section<T>, line: (entry: T, viewer: Viewer) => string) =>
    entries.map((entry) => line(entry, self));
  return [
    toText('Agents', agents, agentLines, subusersMissing),
    toText('Cron Tasks', crons, linesOf(crons, cronLine), subusersMissing),
    toText('Heartbeat Tasks', heartbeats, linesOf(heartbeats, heartbeatLine), subusersMissing),
    toText('Signal Subscriptions', subscriptions, subscribed, subusersMissing),
    toText('Channels', channels, channelLines, subusersMissing),
    toText('Expose Endpoints', endpoints, linesOf(endpoints, endpointLine), subusersMissing),
    ...(subusers
      ? [toText('Subusers', subusers, linesOf(subusers, subuserLine), gatewaysMissing)]
      : []),
    ...(friends
      ? [toText('Friends', friends, friends.entries.map(friendLines), gatewaysMissing, '\n')]
      : []),
    ...(requests ? [toText('Friend Requests', requests, requests.entries.map(requestLine))] : []),
  ];
}

function toText(
  title: string,
  { status, count }: Section<unknown>,
  entries: readonly string[],
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

/** Keeps the order; an entry that is too long is skipped without hiding those after it. */
function fit(entries: readonly string[], room: number): readonly string[] {
  let left = room;
  return entries.filter((entry) => {
    const length = lengthOf(entry);
    if (length > left) return false;
    left -= length;
    return true;
  });
}

/** Measured as JSON, as the length of tool results is. */
function lengthOf(entry: string): number {
  return JSON.stringify(entry).length;
}

/** The viewer's own entries, then those of its user, then those of its subusers. */
function ownFirst<
  T extends Partial<Record<'id' | 'agentId', string>> & { readonly userId: string },
>(all: readonly T[], { userId, agentId }: Viewer): readonly T[] {
  const rank = (one: T): number =>
    (one.agentId ?? one.id) === agentId ? 0 : one.userId === userId ? 1 : 2;
  return [...all].sort((one, other) => rank(one) - rank(other));
}
