import type { Channel, Member } from '../channels/channel';
import type { Endpoint } from '../endpoints/endpoint';
import { formatTarget } from '../endpoints/endpoint-target';
import type { Subscription } from '../signals/signal';
import type { Viewer } from '../viewer';
import type { Agent, Cron, Friend, FriendRequest, Heartbeat, Share, Subuser } from './facts';

/** Of one friend in one direction; the rest is only counted. */
const maxShares = 10;
/** Of one channel; the rest is only counted. */
const maxMembers = 10;

export function agentLine(agent: Agent, { agentId }: Viewer): string {
  const { id, kind, label, lifecycle, waiting } = agent;
  const you = id === agentId ? ' (You)' : '';
  const wait = waiting
    ? ` waiting_for=${quote(waiting.for)} until=${waiting.until.toISOString()}`
    : '';
  return `${id}${you} type=${kind} label=${quote(label)} lifecycle=${lifecycle}${wait}`;
}

export function cronLine({ id, name, schedule, enabled }: Cron): string {
  return `${id}: ${plainOrQuoted(name)} schedule=${quote(schedule)} enabled=${String(enabled)}`;
}

export function heartbeatLine({ id, title }: Heartbeat): string {
  return `${id}: ${plainOrQuoted(title)}`;
}

export function subscriptionLine(
  { agentId, pattern, silent }: Subscription,
  viewer: Viewer,
): string {
  const you = agentId === viewer.agentId ? ' (You)' : '';
  return `agent=${agentId} pattern=${pattern} silent=${String(silent)}${you}`;
}

export function channelLine({ name, leaderAgentId, members }: Channel): string {
  const leftOut = members.length - maxMembers;
  const shown = members.slice(0, maxMembers).map(memberText);
  const all = leftOut > 0 ? [...shown, `… and ${leftOut} more`] : shown;
  return `#${name} leader=${leaderAgentId} members=${all.join(', ')}`;
}

export function endpointLine({ id, name, target, mode, auth }: Endpoint): string {
  const where = plainWord(formatTarget(target));
  return `${id}: ${plainOrQuoted(name)} target=${where} mode=${mode} auth=${auth}`;
}

export function subuserLine({ id, name, nametag, gateway }: Subuser): string {
  const { agentId, lifecycle } =
    typeof gateway === 'string' ? { agentId: gateway, lifecycle: gateway } : gateway;
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

function memberText({ agentId, username }: Member): string {
  return `@${username}(${agentId})`;
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

/** Friends choose the names they share, so a name that could pass for part of the line is quoted. */
function plainOrQuoted(name: string): string {
  return /^[\p{L}\p{N}]([\p{L}\p{M}\p{N} ._'-]*[\p{L}\p{M}\p{N}])?$/u.test(name)
    ? name
    : quote(name);
}

/** The path of a socket may contain anything, so one that could pass for several words is quoted. */
function plainWord(text: string): string {
  return /^[\p{L}\p{M}\p{N}:._/-]+$/u.test(text) ? text : quote(text);
}

/** Always one line, without the invisible characters that reorder text. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0085\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
