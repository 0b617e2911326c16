import type { AgentCall } from '../../agents';

/**
 * An agent's operations on its user's friends. Every call is made on behalf of that agent, and social-graph decides
 * whether to allow it.
 */
export interface Friends {
  /** Sends or accepts a friend request, or accepts an offered subuser. */
  add(call: AgentCall, nametag: string): Promise<FriendChange>;
  remove(call: AgentCall, nametag: string): Promise<FriendChange>;
  send(call: AgentCall, nametag: string, message: string): Promise<SentFriendMessage>;
  share(call: AgentCall, share: ShareRequest): Promise<FriendChange>;
  unshare(call: AgentCall, share: ShareRequest): Promise<FriendChange>;
  block(call: AgentCall, nametag: string): Promise<BlockChange>;
  unblock(call: AgentCall, nametag: string): Promise<BlockChange>;
  list(call: AgentCall): Promise<FriendList>;
}

/** A subuser and the friend it is shared with. */
export interface ShareRequest {
  readonly friendNametag: string;
  readonly subuserId: string;
}

/** The share fields are present when the call concerned a shared subuser. */
export interface FriendChange {
  readonly summary: string;
  readonly status: string;
  readonly nametag: string;
  readonly subuserId?: string;
  readonly subuserNametag?: string;
  readonly friendNametag?: string;
}

export interface BlockChange {
  readonly summary: string;
  readonly nametag: string;
}

export interface SentFriendMessage extends BlockChange {
  readonly messageId: string;
}

/** As much of the three lists as one tool result can hold. */
export interface FriendList {
  readonly summary: string;
  readonly friends: readonly ListedFriend[];
  readonly requests: readonly ListedRequest[];
  readonly blocks: readonly ListedBlock[];
  /** How many entries were omitted from each list. */
  readonly leftOut?: Omitted;
}

export interface ListedFriend {
  readonly nametag: string;
  readonly since: string;
  readonly sharesOut?: readonly ListedShare[];
  readonly sharesIn?: readonly ListedShare[];
  readonly leftOut?: Omitted;
}

export interface ListedShare {
  readonly subuserId: string;
  readonly nametag: string;
  readonly name: string;
  readonly status: string;
}

export interface ListedRequest {
  readonly nametag: string;
  readonly state: 'pending_in' | 'pending_out';
  readonly since: string;
}

export interface ListedBlock {
  readonly nametag: string;
  readonly since: string;
}

/** Counts by list name; complete lists have no entry. */
export type Omitted = Readonly<Record<string, number>>;
