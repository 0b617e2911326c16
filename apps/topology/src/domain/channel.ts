import { findMentions } from './mentions';

export interface Member {
  readonly agentId: string;
  /** What others write after `@` to be heard by it. */
  readonly username: string;
  readonly joinedAt: Date;
}

/** A named group of one user's agents. */
export interface Channel {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly leaderAgentId: string;
  /** In the order they joined, the leader included; nobody is left when the channel is gone. */
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
  /** Usernames of the members that hear it because it mentions them. */
  readonly mentions: readonly string[];
  readonly sentAt: Date;
}

export type JoinRefusal = 'username_taken' | 'joined_otherwise' | 'full';

export const mostMembers = 200;
export const nameRule =
  'must be 1 to 80 of a-z, 0-9, "_" and "-", beginning with a letter or digit';

/** What channels and their members may be called. */
export function isChannelName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,79}$/.test(text);
}

/** The channel with the member in it; as it is when the agent is a member under that name already. */
export function join(channel: Channel, member: Member): Channel | JoinRefusal {
  const known = memberOf(channel, member.agentId);
  if (known) return known.username === member.username ? channel : 'joined_otherwise';
  if (channel.members.some(({ username }) => username === member.username)) return 'username_taken';
  if (channel.members.length >= mostMembers) return 'full';
  return { ...channel, members: [...channel.members, member] };
}

/** A leaving leader is followed by who joined first. Undefined when the agent is no member. */
export function leave(channel: Channel, agentId: string): Channel | undefined {
  if (!memberOf(channel, agentId)) return undefined;
  const members = channel.members.filter((member) => member.agentId !== agentId);
  const isLed = members.some((member) => member.agentId === channel.leaderAgentId);
  const leaderAgentId = isLed ? channel.leaderAgentId : (members[0]?.agentId ?? '');
  return { ...channel, members, leaderAgentId };
}

export function memberOf({ members }: Channel, agentId: string | undefined): Member | undefined {
  return members.find((member) => member.agentId === agentId);
}

/** Who hears a text: whom it mentions, and the leader in any case; the sender never. */
export function listenersOf(
  { members, leaderAgentId }: Channel,
  senderAgentId: string,
  text: string,
): { readonly mentions: readonly string[]; readonly agentIds: readonly string[] } {
  const others = members.filter(({ agentId }) => agentId !== senderAgentId);
  const mentions = findMentions(
    text,
    others.map(({ username }) => username),
  );
  const hearing = others.filter(
    ({ agentId, username }) => agentId === leaderAgentId || mentions.includes(username),
  );
  return { mentions, agentIds: hearing.map(({ agentId }) => agentId) };
}

/** What a member hears. */
export function channelText({ senderUsername, text }: ChannelMessage): string {
  return `@${senderUsername}: ${text}`;
}
