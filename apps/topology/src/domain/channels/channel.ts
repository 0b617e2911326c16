import type { Trust } from '@daycare/api';
import type { Authored } from '../viewer';
import { findMentions } from './mentions';

export interface Member extends Authored {
  readonly agentId: string;
  /** The name that other members write after `@` to mention this member. */
  readonly username: string;
  readonly joinedAt: Date;
}

/** A named group of one user's agents. */
export interface Channel extends Authored {
  readonly id: string;
  readonly userId: string;
  /** The user whose limits the channel counts towards. */
  readonly ownerUserId: string;
  readonly name: string;
  readonly leaderAgentId: string;
  /** In the order they joined, the leader included; empty once the channel is deleted. */
  readonly members: readonly Member[];
  readonly createdAt: Date;
}

export interface ChannelMessage {
  readonly id: string;
  readonly userId: string;
  readonly channelId: string;
  readonly senderAgentId: string;
  /** As it was when the message was sent. */
  readonly senderUsername: string;
  readonly text: string;
  /** The usernames of the members it mentions. */
  readonly mentions: readonly string[];
  /** The trust of its author. */
  readonly trust: Trust;
  /** Whether the turn that sent it had read something private. */
  readonly carriesPrivate: boolean;
  readonly sentAt: Date;
}

export type JoinRefusal = 'username_taken' | 'has_other_username' | 'full';

export const maxMembers = 200;
export const nameRule =
  'must be 1 to 80 characters of a-z, 0-9, "_" and "-", starting with a letter or digit';

/** The rule for the names of channels and members. */
export function isChannelName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,79}$/.test(text);
}

/**
 * Returns the channel with the member added, or why the agent may not join; the same channel if the agent is
 * already a member under that name.
 */
export function join(channel: Channel, member: Member): Channel | JoinRefusal {
  const existing = memberOf(channel, member.agentId);
  if (existing) return existing.username === member.username ? channel : 'has_other_username';
  if (channel.members.some(({ username }) => username === member.username)) return 'username_taken';
  if (channel.members.length >= maxMembers) return 'full';
  return { ...channel, members: [...channel.members, member] };
}

/**
 * Returns the channel without the agent, or undefined if the agent is not a member. If the leader leaves, the
 * remaining member who joined first takes over.
 */
export function leave(channel: Channel, agentId: string): Channel | undefined {
  if (!memberOf(channel, agentId)) return undefined;
  const members = channel.members.filter((member) => member.agentId !== agentId);
  const hasLeader = members.some((member) => member.agentId === channel.leaderAgentId);
  const leaderAgentId = hasLeader ? channel.leaderAgentId : (members[0]?.agentId ?? '');
  return { ...channel, members, leaderAgentId };
}

export function memberOf({ members }: Channel, agentId: string | undefined): Member | undefined {
  return members.find((member) => member.agentId === agentId);
}

/** Returns the mentions in a message and its recipients: mentioned members and the leader, never the sender. */
export function channelRecipients(
  { members, leaderAgentId }: Channel,
  senderAgentId: string,
  text: string,
): { readonly mentions: readonly string[]; readonly agentIds: readonly string[] } {
  const others = members.filter(({ agentId }) => agentId !== senderAgentId);
  const mentions = findMentions(
    text,
    others.map(({ username }) => username),
  );
  const recipients = others.filter(
    ({ agentId, username }) => agentId === leaderAgentId || mentions.includes(username),
  );
  return { mentions, agentIds: recipients.map(({ agentId }) => agentId) };
}

/** Renders a message for its recipients. */
export function channelText({ senderUsername, text }: ChannelMessage): string {
  return `@${senderUsername}: ${text}`;
}
