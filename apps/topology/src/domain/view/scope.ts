import { isSubuser, type Viewer } from '../viewer';
import type { FriendFacts, SubuserFacts } from './facts';

/** The users whose agents and wiring a viewer may see, and the subusers whose gateway it may see. */
export interface Scope {
  readonly userIds: readonly string[];
  readonly gatewayUserIds: readonly string[];
  /** Some of the viewer's subusers are missing from `userIds`. */
  readonly isPartial: boolean;
}

/** The maximum that agent-runtime accepts in one request. */
const maxUsers = 2_000;

/**
 * The only place that decides whose data is read. A top-level user sees its own data and its subusers', and the
 * gateways of subusers shared in either direction; a subuser sees only its own data. Facts from an unavailable
 * source are left out, never guessed. If there are too many gateways, the viewer's own subusers come first, then the
 * subusers shared on the pages in `friends`, in the order given.
 */
export function scopeOf(
  viewer: Viewer,
  facts: { subusers: SubuserFacts | undefined; friends: readonly (FriendFacts | undefined)[] },
): Scope {
  if (isSubuser(viewer)) return { userIds: [viewer.userId], gatewayUserIds: [], isPartial: false };
  const { subusers = [], isTruncated = true } = facts.subusers ?? {};
  const own = subusers.map(({ id }) => id);
  const shared = facts.friends.flatMap((page) => sharedSubusers(page));
  return {
    userIds: [viewer.userId, ...own].slice(0, maxUsers),
    gatewayUserIds: [...new Set([...own, ...shared])].slice(0, maxUsers),
    isPartial: isTruncated || own.length >= maxUsers,
  };
}

/** Reports whether two scopes are the same, including the order of their users. */
export function isSameScope(one: Scope, other: Scope): boolean {
  return (
    one.isPartial === other.isPartial &&
    areEqual(one.userIds, other.userIds) &&
    areEqual(one.gatewayUserIds, other.gatewayUserIds)
  );
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

function sharedSubusers(facts: FriendFacts | undefined): string[] {
  const subuserIds: string[] = [];
  for (const { sharesOut, sharesIn } of facts?.friends.entries ?? []) {
    for (const { subuserId } of sharesOut) subuserIds.push(subuserId);
    for (const { subuserId } of sharesIn) subuserIds.push(subuserId);
  }
  return subuserIds;
}
