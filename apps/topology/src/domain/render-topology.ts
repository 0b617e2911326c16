import type { Viewer } from './facts';
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
import { shareOut } from './share-out';
import type { Section, Self, TopologyView } from './topology-view';

/** A section as text: each entry is one line or more. */
interface TextSection {
  readonly title: string;
  readonly status: Section<unknown>['status'];
  readonly count: number;
  readonly entries: readonly string[];
  readonly partialNote: string;
  /** Between entries. */
  readonly gap: string;
}

// With heads and notes it fits into what a tool may answer.
const mostCharacters = 6_000;

const down = 'Unavailable at the moment; try again';
const noSubusersKnown = 'Those of your subusers are unavailable at the moment; try again';
const noGatewaysKnown = 'Not all gateways are known at the moment; try again';

/**
 * The view for a person or model. What does not fit is counted, and a long section leaves room for the
 * others.
 */
export function renderTopology(view: TopologyView): string {
  const sections = sectionsOf(view);
  const rooms = shareOut(
    sections.map(({ entries }) => entries.reduce((sum, entry) => sum + lengthOf(entry), 0)),
    mostCharacters,
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
  const lines = ownFirst(agents.entries, self).map((agent) => agentLine(agent, self));
  const heard = ownFirst(subscriptions.entries, self).map((each) => subscriptionLine(each, self));
  const groups = ownFirst(channels.entries, self).map(channelLine);
  return [
    toText('Agents', agents, lines, noSubusersKnown),
    toText('Cron Tasks', crons, crons.entries.map(cronLine), noSubusersKnown),
    toText('Heartbeat Tasks', heartbeats, heartbeats.entries.map(heartbeatLine), noSubusersKnown),
    toText('Signal Subscriptions', subscriptions, heard, noSubusersKnown),
    toText('Channels', channels, groups, noSubusersKnown),
    toText('Expose Endpoints', endpoints, endpoints.entries.map(endpointLine), noSubusersKnown),
    ...(subusers
      ? [toText('Subusers', subusers, subusers.entries.map(subuserLine), noGatewaysKnown)]
      : []),
    ...(friends
      ? [toText('Friends', friends, friends.entries.map(friendLines), noGatewaysKnown, '\n')]
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
  if (status === 'unavailable') return `## ${title} (unknown)\n${down}`;
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

/** In order; one that is too long does not hide those after it. */
function fit(entries: readonly string[], room: number): readonly string[] {
  let left = room;
  return entries.filter((entry) => {
    const length = lengthOf(entry);
    if (length > left) return false;
    left -= length;
    return true;
  });
}

/** As JSON, which is how a tool's result is counted. */
function lengthOf(entry: string): number {
  return JSON.stringify(entry).length;
}

/** What is the viewer's own, then its user's, then its subusers'. */
function ownFirst<
  T extends Partial<Record<'id' | 'agentId', string>> & { readonly userId: string },
>(all: readonly T[], { userId, agentId }: Viewer): readonly T[] {
  const rank = (one: T): number =>
    (one.agentId ?? one.id) === agentId ? 0 : one.userId === userId ? 1 : 2;
  return [...all].sort((one, other) => rank(one) - rank(other));
}
