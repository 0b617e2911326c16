import { findShare } from './sharing';
import { otherSide, type Side, type Tie } from './tie';

/** Whether a friend message may pass, and why not. The only place the rule exists. */
export type SendVerdict = 'allowed' | 'not_friends' | 'share_not_active';

/** To the friend itself. */
export function mayMessageFriend(tie: Tie): SendVerdict {
  return tie.bond.kind === 'friends' ? 'allowed' : 'not_friends';
}

/** To the gateway of a subuser that the other side shares with `me`. */
export function mayMessageSubuser(tie: Tie, me: Side, subuserId: string): SendVerdict {
  const share = findShare(tie, subuserId, otherSide[me]);
  return share?.status === 'active' ? 'allowed' : 'share_not_active';
}
