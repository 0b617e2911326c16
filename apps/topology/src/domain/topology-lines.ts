import type { Channel, Member } from './channel';
import type { Endpoint } from './endpoint';
import { formatTarget } from './endpoint-target';
import type { SeenAgent, SeenCron, SeenHeartbeat, SeenRequest, Viewer } from './facts';
import type { Subscription } from './signal';
import type { Gateway, ViewedFriend, ViewedShare, ViewedSubuser } from './topology-view';

/** More shares of one friend in one direction are only counted. */
const mostShares = 10;
/** More members of one channel are only counted. */
const mostMembers = 10;

export function agentLine({ id, kind, label, lifecycle }: SeenAgent, { agentId }: Viewer): string {
  const you = id === agentId ? ' (You)' : '';
  return `${id}${you} type=${kind} label=${quote(label)} lifecycle=${lifecycle}`;
}

export function cronLine({ id, name, schedule, enabled }: SeenCron): string {
  return `${id}: ${plainOrQuoted(name)} schedule=${quote(schedule)} enabled=${String(enabled)}`;
}

export function heartbeatLine({ id, title }: SeenHeartbeat): string {
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
  const leftOut = members.length - mostMembers;
  const shown = members.slice(0, mostMembers).map(memberText);
  const all = leftOut > 0 ? [...shown, `… and ${leftOut} more`] : shown;
  return `#${name} leader=${leaderAgentId} members=${all.join(', ')}`;
}

export function endpointLine({ id, name, target, mode, auth }: Endpoint): string {
  const where = plainWord(formatTarget(target));
  return `${id}: ${plainOrQuoted(name)} target=${where} mode=${mode} auth=${auth}`;
}

export function subuserLine({ id, name, nametag, gateway }: ViewedSubuser): string {
  const { agentId, lifecycle } = wordsOf(gateway);
  const named = `name=${quote(name)} nametag=${nametag}`;
  return `${id} ${named} gateway=${agentId} lifecycle=${lifecycle}`;
}

export function friendLines({ nametag, sharesOut, sharesIn }: ViewedFriend): string {
  const lines = [
    ...shareLines('-> shared out', sharesOut),
    ...shareLines('<- shared in', sharesIn),
  ];
  const shared = lines.length > 0 ? lines : ['(no shared subusers)'];
  return [nametag, ...shared.map((line) => `  ${line}`)].join('\n');
}

export function requestLine({ nametag, state, since }: SeenRequest): string {
  return `${nametag} ${state} since ${since.toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

function memberText({ agentId, username }: Member): string {
  return `@${username}(${agentId})`;
}

function shareLines(arrow: string, shares: readonly ViewedShare[]): string[] {
  const leftOut = shares.length - mostShares;
  const lines = shares.slice(0, mostShares).map((share) => `${arrow}: ${shareText(share)}`);
  return leftOut > 0 ? [...lines, `${arrow}: … and ${leftOut} more`] : lines;
}

function shareText({ subuserName, subuserNametag, gateway, status }: ViewedShare): string {
  const agentId = typeof gateway === 'string' ? gateway : gateway.agentId;
  const named = `${plainOrQuoted(subuserName)} (nametag=${subuserNametag})`;
  return `${named} gateway=${agentId} status=${status}`;
}

function wordsOf(gateway: Gateway): { agentId: string; lifecycle: string } {
  return typeof gateway === 'string' ? { agentId: gateway, lifecycle: gateway } : gateway;
}

/** A name that could be taken for something else is quoted: friends choose theirs. */
function plainOrQuoted(name: string): string {
  return /^[\p{L}\p{N}]([\p{L}\p{M}\p{N} ._'-]*[\p{L}\p{M}\p{N}])?$/u.test(name)
    ? name
    : quote(name);
}

/** A socket's path may hold anything; what could be taken for more than one word is quoted. */
function plainWord(text: string): string {
  return /^[\p{L}\p{M}\p{N}:._/-]+$/u.test(text) ? text : quote(text);
}

/** One line whatever the text, and none of the characters that reorder what is read. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0085\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
