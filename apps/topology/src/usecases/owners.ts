import type { FriendFacts, ScopeFacts, SubuserFacts, Viewer } from '../domain/facts';
import type { Scope } from '../domain/scope';

/** How long an answer is waited for. */
export interface Patience {
  readonly timeoutMs: number;
  /** Aborted when whoever wants the answer has hung up. */
  readonly signal: AbortSignal;
}

/**
 * The services that own the facts. Each method is one call, whatever there is to tell, and rejects
 * with UNAVAILABLE or DEADLINE_EXCEEDED when the owner is down.
 */
export interface Owners {
  /** Remembered; undefined when there is no such user. */
  findNametag(viewer: Viewer, patience: Patience): Promise<string | undefined>;
  /** Asked as the viewer; a second call is made only when one page does not hold them. */
  listSubusers(viewer: Viewer, patience: Patience): Promise<SubuserFacts>;
  /** Asked as the viewer. */
  listFriends(viewer: Viewer, pageToken: string, patience: Patience): Promise<FriendFacts>;
  /** Asked as the service: the scope must be one that was settled for the viewer. */
  listScope(wish: ScopeWish, patience: Patience): Promise<ScopeFacts>;
}

export interface ScopeWish extends Pick<Scope, 'userIds' | 'gatewayUserIds'> {
  readonly includeDead: boolean;
  readonly pageToken: string;
}
