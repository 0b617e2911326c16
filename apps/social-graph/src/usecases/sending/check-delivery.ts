import type { TieRef } from '@daycare/contracts/common';
import { FieldChecks } from '@daycare/api';
import type { BudgetLimits } from '@daycare/messaging';
import { limitsOf } from '../../domain/friend-limits';
import { mayMessageFriend, mayMessageSubuser } from '../../domain/delivery';
import { pairId } from '../../domain/tie/pair';
import { findShare } from '../../domain/sharing';
import { noTie, otherSide, type Side, type Tie } from '../../domain/tie/tie';
import type { TieStore } from '../../store/tie-store';
import type { Directory } from '../people';

export type Relation =
  | 'same_user'
  | 'own_subuser'
  | 'owner'
  | 'friend'
  | 'shared_subuser'
  | 'share_guest';

export type DeliveryRefusal =
  | 'unknown_user'
  | 'not_friends'
  | 'share_not_active'
  | 'outside_subuser';

export type DeliveryVerdict =
  | {
      readonly allowed: true;
      readonly relation: Relation;
      /** The tie or share whose end also ends the message; absent for oneself, one's own subuser or one's owner. */
      readonly tie?: TieRef;
      /** How much may be sent in this direction; present with a tie. */
      readonly limits?: BudgetLimits;
    }
  | { readonly allowed: false; readonly refusal: DeliveryRefusal };

interface FoundTie {
  readonly tie: Tie;
  readonly me: Side;
  readonly ref: TieRef;
  readonly limits: BudgetLimits;
}

export interface Sender {
  readonly userId: string;
  readonly parentUserId: string | undefined;
}

const allow = (relation: Relation, found?: Pick<FoundTie, 'ref' | 'limits'>): DeliveryVerdict => ({
  allowed: true,
  relation,
  ...(found ? { tie: found.ref, limits: found.limits } : {}),
});
const deny = (refusal: DeliveryRefusal): DeliveryVerdict => ({ allowed: false, refusal });

export type CheckDelivery = (sender: Sender, recipientId: string) => Promise<DeliveryVerdict>;

/** Checks whether an agent of one user may reach another user, and through which relation, or why not. */
export function makeCheckDelivery({
  directory,
  ties,
  addressLimits,
}: {
  readonly directory: Directory;
  readonly ties: TieStore;
  readonly addressLimits: BudgetLimits;
}): CheckDelivery {
  const tieOf = async (myId: string, otherId: string, subuserId = ''): Promise<FoundTie> => {
    const id = pairId(myId, otherId);
    const stored = await ties.find(id);
    const ref = { id, version: stored?.version ?? 0, subuserId };
    const tie = stored?.tie ?? noTie;
    const me = myId < otherId ? 'low' : 'high';
    return { tie, me, ref, limits: limitsOf(tie, otherSide[me], addressLimits) };
  };
  const fromSubuser = async (sender: Sender, ownerId: string, recipientId: string) => {
    if (recipientId === ownerId) return allow('owner');
    const found = await tieOf(ownerId, recipientId, sender.userId);
    const isShared = findShare(found.tie, sender.userId, found.me)?.status === 'active';
    return isShared ? allow('share_guest', found) : deny('outside_subuser');
  };
  const toSubuser = async (sender: Sender, ownerId: string, subuserId: string) => {
    if (ownerId === sender.userId) return allow('own_subuser');
    const found = await tieOf(sender.userId, ownerId, subuserId);
    const isShared = mayMessageSubuser(found.tie, found.me, subuserId) === 'allowed';
    return isShared ? allow('shared_subuser', found) : deny('share_not_active');
  };
  return async (sender, recipientId) => {
    new FieldChecks().id(recipientId, 'recipient_user_id').done();
    if (sender.userId === recipientId) return allow('same_user');
    const recipient = await directory.findById(recipientId);
    if (!recipient) return deny('unknown_user');
    if (sender.parentUserId !== undefined)
      return fromSubuser(sender, sender.parentUserId, recipientId);
    if (recipient.parentUserId !== undefined)
      return toSubuser(sender, recipient.parentUserId, recipientId);
    const found = await tieOf(sender.userId, recipientId);
    return mayMessageFriend(found.tie) === 'allowed' ? allow('friend', found) : deny('not_friends');
  };
}
