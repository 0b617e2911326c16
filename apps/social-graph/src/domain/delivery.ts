import { findShare } from './sharing';
import { otherSide, type Side, type Tie } from './tie/tie';

/** Whether a friend message is allowed, or why not. This is the only place the rule exists. */
export type SendVerdict = 'allowed' | 'not_friends' | 'share_not_active';

/** A message to the friend. */
export function mayMessageFriend(tie: Tie): SendVerdict {
  return tie.bond.kind === 'friends' ? 'allowed' : 'not_friends';
}

/** A message to the gateway agent of a subuser that the other side shares with `me`. */
export function mayMessageSubuser(tie: Tie, me: Side, subuserId: string): SendVerdict {
  const share = findShare(tie, subuserId, otherSide[me]);
  return share?.status === 'active' ? 'allowed' : 'share_not_active';
}
