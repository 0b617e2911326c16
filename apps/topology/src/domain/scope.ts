import type { FriendFacts, SubuserFacts, Viewer } from './facts';

/** Whose agents a viewer may see, and of which subusers it may see the gateway. */
export interface Scope {
  readonly userIds: readonly string[];
  readonly gatewayUserIds: readonly string[];
  /** Some of the viewer's subusers are not among the users. */
  readonly isCut: boolean;
}

/** As many as agent-runtime takes at once. */
const mostUsers = 2_000;

/**
 * The only place that says whose things are read. An owner sees its own and its subusers', and the
 * gateways of what is shared in either way; a subuser sees its own. What an owner of facts that is down
 * would have told is left out: nothing is guessed. `friends` are those to be shown, the foremost first.
 */
export function scopeOf(
  viewer: Viewer,
  facts: { subusers: SubuserFacts | undefined; friends: readonly (FriendFacts | undefined)[] },
): Scope {
  if (isSubuser(viewer)) return { userIds: [viewer.userId], gatewayUserIds: [], isCut: false };
  const { subusers = [], isCut = true } = facts.subusers ?? {};
  const own = subusers.map(({ id }) => id);
  const shared = facts.friends.flatMap((each) => sharedIn(each));
  return {
    userIds: [viewer.userId, ...own].slice(0, mostUsers),
    gatewayUserIds: [...new Set([...own, ...shared])].slice(0, mostUsers),
    isCut: isCut || own.length >= mostUsers,
  };
}

/** A subuser is fenced off: it has neither subusers nor friends. */
export function isSubuser({ parentUserId }: Viewer): boolean {
  return parentUserId !== undefined;
}

function sharedIn(facts: FriendFacts | undefined): string[] {
  const friends = facts?.friends.entries ?? [];
  return friends.flatMap(({ sharesOut, sharesIn }) =>
    [...sharesOut, ...sharesIn].map(({ subuserId }) => subuserId),
  );
}
