import type { Channel, Member } from '../channels/channel';
import type { Endpoint } from '../endpoints/endpoint';
import { formatTarget } from '../endpoints/endpoint-target';
import type { Subscription } from '../signals/signal';
import type { Authored, Viewer } from '../viewer';
import type { Agent, Cron, Friend, FriendRequest, Heartbeat, Share, Subuser } from './facts';

/** How many shares are shown for one friend in one direction; the rest are only counted. */
const maxShares = 10;
/** How many members are shown for one channel; the rest are only counted. */
const maxMembers = 10;

export function agentLine(agent: Agent, viewer: Viewer): string {
  const { id, kind, lifecycle, waiting } = agent;
  const you = id === viewer.agentId ? ' (You)' : '';
  // An owner names its subusers' gateways, so their labels count as chosen by the viewer's own user.
  const label =
    kind === 'subuser' && !agent.writtenBy ? agent.label : visibleText(agent.label, agent, viewer);
  const waitingText = waiting
    ? ` waiting_for=${quote(waiting.for)} until=${waiting.until.toISOString()}`
    : '';
  return `${id}${you} type=${kind} label=${quote(label)} lifecycle=${lifecycle}${waitingText}`;
}

export function cronLine(cron: Cron, viewer: Viewer): string {
  const { id, schedule, enabled } = cron;
  const name = visibleText(cron.name, cron, viewer);
  return `${id}: ${plainOrQuoted(name)} schedule=${quote(schedule)} enabled=${String(enabled)}`;
}

export function heartbeatLine(heartbeat: Heartbeat, viewer: Viewer): string {
  return `${heartbeat.id}: ${plainOrQuoted(visibleText(heartbeat.title, heartbeat, viewer))}`;
}

export function subscriptionLine(subscription: Subscription, viewer: Viewer): string {
  const { agentId, silent } = subscription;
  const pattern = visibleText(subscription.pattern, subscription, viewer);
  const you = agentId === viewer.agentId ? ' (You)' : '';
  return `agent=${agentId} pattern=${pattern} silent=${String(silent)}${you}`;
}

export function channelLine(channel: Channel, viewer: Viewer): string {
  const { leaderAgentId, members, userId } = channel;
  const leftOut = members.length - maxMembers;
  const shown = members
    .slice(0, maxMembers)
    .map((member) => memberText({ ...member, userId }, viewer));
  const texts = leftOut > 0 ? [...shown, `… and ${leftOut} more`] : shown;
  const name = visibleText(channel.name, channel, viewer);
  return `#${name} leader=${leaderAgentId} members=${texts.join(', ')}`;
}

export function endpointLine(endpoint: Endpoint, viewer: Viewer): string {
  const { id, target, mode, auth } = endpoint;
  const name = visibleText(endpoint.name, endpoint, viewer);
  const where = plainWord(
    target.kind === 'unix' ? visiblePath(endpoint, viewer) : formatTarget(target),
  );
  return `${id}: ${plainOrQuoted(name)} target=${where} mode=${mode} auth=${auth}`;
}

export function subuserLine(subuser: Subuser, viewer: Viewer): string {
  const { id, nametag, gateway } = subuser;
  const {
    agentId,
    lifecycle,
    writtenBy,
  }: Partial<Authored> & Record<'agentId' | 'lifecycle', string> =
    typeof gateway === 'string' ? { agentId: gateway, lifecycle: gateway } : gateway;
  const name = visibleText(subuser.name, { userId: viewer.userId, writtenBy }, viewer);
  const named = `name=${quote(name)} nametag=${nametag}`;
  return `${id} ${named} gateway=${agentId} lifecycle=${lifecycle}`;
}

export function friendLines({ nametag, sharesOut, sharesIn }: Friend): string {
  const lines = [
    ...shareLines('-> shared out', sharesOut),
    ...shareLines('<- shared in', sharesIn),
  ];
  const shared = lines.length > 0 ? lines : ['(no shared subusers)'];
  return [nametag, ...shared.map((line) => `  ${line}`)].join('\n');
}

export function requestLine({ nametag, state, since }: FriendRequest): string {
  return `${nametag} ${state} since ${since.toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

function memberText(member: Member & NameSource, viewer: Viewer): string {
  return `@${visibleText(member.username, member, viewer)}(${member.agentId})`;
}

interface NameSource {
  readonly userId: string;
  readonly writtenBy?: Authored['writtenBy'] | undefined;
}

const hiddenText = '(hidden: not chosen by your user)';

/**
 * A model may obey a name like an instruction, so this shows agents only names that their own user has chosen.
 * Names that guests' turns or a subuser's agents have chosen are shown to people only.
 */
function visibleText(name: string, { userId, writtenBy }: NameSource, viewer: Viewer): string {
  const isOwn = userId === viewer.userId && writtenBy === undefined;
  return isOwn || viewer.agentId === undefined ? name : hiddenText;
}

function visiblePath(endpoint: Endpoint, viewer: Viewer): string {
  return visibleText(formatTarget(endpoint.target), endpoint, viewer);
}

function shareLines(arrow: string, shares: readonly Share[]): string[] {
  const leftOut = shares.length - maxShares;
  const lines = shares.slice(0, maxShares).map((share) => `${arrow}: ${shareText(share)}`);
  return leftOut > 0 ? [...lines, `${arrow}: … and ${leftOut} more`] : lines;
}

function shareText({ subuserName, subuserNametag, gateway, status }: Share): string {
  const agentId = typeof gateway === 'string' ? gateway : gateway.agentId;
  const named = `${plainOrQuoted(subuserName)} (nametag=${subuserNametag})`;
  return `${named} gateway=${agentId} status=${status}`;
}

/** Quotes a name that could pass for part of the line; friends, for example, choose the names they share. */
function plainOrQuoted(name: string): string {
  return /^[\p{L}\p{N}]([\p{L}\p{M}\p{N} ._'-]*[\p{L}\p{M}\p{N}])?$/u.test(name)
    ? name
    : quote(name);
}

/** A socket's path may contain anything, so one that could pass for several words is quoted. */
function plainWord(text: string): string {
  return /^[\p{L}\p{M}\p{N}:._/-]+$/u.test(text) ? text : quote(text);
}

/** Quotes text on one line, escaping line separators and the invisible characters that reorder text. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0085\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
