import { findShare } from './sharing';
import { otherSide, type Side, type Tie } from './tie/tie';

/**
 * Whether a message to a friend, or to a subuser that a friend shares, is allowed, or why not. Decided only in this
 * file.
 */
export type SendVerdict = 'allowed' | 'not_friends' | 'share_not_active';

/** Decides whether a message to the friend is allowed. */
export function mayMessageFriend(tie: Tie): SendVerdict {
  return tie.bond.kind === 'friends' ? 'allowed' : 'not_friends';
}

/** Decides whether `me` may message the gateway agent of a subuser that the other side shares. */
export function mayMessageSubuser(tie: Tie, me: Side, subuserId: string): SendVerdict {
  const share = findShare(tie, subuserId, otherSide[me]);
  return share?.status === 'active' ? 'allowed' : 'share_not_active';
}
