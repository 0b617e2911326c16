import type { FriendFacts, ScopeFacts, SubuserFacts } from '../../domain/view/facts';
import type { Scope } from '../../domain/view/scope';
import type { Viewer } from '../../domain/viewer';

/** How long to wait for a response. */
export interface TimeBudget {
  readonly timeoutMs: number;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * The services that own the facts in a view. Given facts that the caller already knows, a service
 * returns the same lists as long as they are current, at the cost of one or two queries. Each method makes
 * at most two calls, whatever the size of the lists, and rejects with UNAVAILABLE or DEADLINE_EXCEEDED
 * when its service does not respond.
 */
export interface FactSources {
  /** Cached; undefined when there is no such user. */
  findNametag(viewer: Viewer, budget: TimeBudget): Promise<string | undefined>;
  /** Called as the viewer; a second call is made only if the subusers do not fit on one page. */
  listSubusers(
    viewer: Viewer,
    known: SubuserFacts | undefined,
    budget: TimeBudget,
  ): Promise<SubuserFacts>;
  /** Called as the viewer. */
  listFriends(viewer: Viewer, request: FriendsRequest, budget: TimeBudget): Promise<FriendFacts>;
  /** Called as the service, so the scope must be one that `scopeOf` computed for the viewer. */
  listScope(request: ScopeRequest, budget: TimeBudget): Promise<ScopeFacts>;
}

export interface FriendsRequest {
  readonly pageToken: string;
  readonly known: FriendFacts | undefined;
}

export interface ScopeRequest extends Pick<Scope, 'userIds' | 'gatewayUserIds'> {
  readonly includeDead: boolean;
  readonly pageToken: string;
  /** The facts known about the same users. */
  readonly known: ScopeFacts | undefined;
}
