import { FieldChecks } from '@daycare/errors';
import { mayMessageFriend, mayMessageSubuser } from '../domain/delivery';
import { pairId } from '../domain/pair';
import { findShare } from '../domain/sharing';
import { noTie, type Side, type Tie } from '../domain/tie';
import type { TieStore } from '../store/tie-store';
import type { Directory } from './people';

export type Relation =
  'same_user' | 'own_subuser' | 'owner' | 'friend' | 'shared_subuser' | 'share_guest';

export type DeliveryRefusal =
  'unknown_user' | 'not_friends' | 'share_not_active' | 'outside_subuser';

export type DeliveryVerdict =
  | { readonly allowed: true; readonly relation: Relation }
  | { readonly allowed: false; readonly refusal: DeliveryRefusal };

export interface Sender {
  readonly userId: string;
  readonly parentUserId: string | undefined;
}

const allow = (relation: Relation): DeliveryVerdict => ({ allowed: true, relation });
const deny = (refusal: DeliveryRefusal): DeliveryVerdict => ({ allowed: false, refusal });

/** Whether an agent of one user may reach another user, by which relation, or why not. */
export function makeCheckDelivery({
  directory,
  ties,
}: {
  readonly directory: Directory;
  readonly ties: TieStore;
}) {
  const tieOf = async (one: string, other: string): Promise<{ tie: Tie; me: Side }> => {
    const stored = await ties.find(pairId(one, other));
    return { tie: stored?.tie ?? noTie, me: one < other ? 'low' : 'high' };
  };
  const fromSubuser = async (sender: Sender, ownerId: string, recipientId: string) => {
    if (recipientId === ownerId) return allow('owner');
    const { tie, me } = await tieOf(ownerId, recipientId);
    const isShared = findShare(tie, sender.userId, me)?.status === 'active';
    return isShared ? allow('share_guest') : deny('outside_subuser');
  };
  const toSubuser = async (sender: Sender, ownerId: string, subuserId: string) => {
    if (ownerId === sender.userId) return allow('own_subuser');
    const { tie, me } = await tieOf(sender.userId, ownerId);
    const isShared = mayMessageSubuser(tie, me, subuserId) === 'allowed';
    return isShared ? allow('shared_subuser') : deny('share_not_active');
  };
  return async (sender: Sender, recipientId: string): Promise<DeliveryVerdict> => {
    new FieldChecks().id(recipientId, 'recipient_user_id').done();
    if (sender.userId === recipientId) return allow('same_user');
    const recipient = await directory.findById(recipientId);
    if (!recipient) return deny('unknown_user');
    if (sender.parentUserId !== undefined)
      return fromSubuser(sender, sender.parentUserId, recipientId);
    if (recipient.parentUserId !== undefined)
      return toSubuser(sender, recipient.parentUserId, recipientId);
    const { tie } = await tieOf(sender.userId, recipientId);
    return mayMessageFriend(tie) === 'allowed' ? allow('friend') : deny('not_friends');
  };
}
