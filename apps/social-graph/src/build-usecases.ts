import type { BudgetLimits, OutboxStore } from '@daycare/messaging';
import type { SocialGraphUsecases } from './usecases';
import { makeAddFriend, makeRemoveFriend } from './usecases/add-friend';
import { makeBlockUser, makeUnblockUser, type BlockCallDeps } from './usecases/block-user';
import { makeChangeTie, type ChangeTieDeps } from './usecases/change-tie';
import { makeCheckDelivery } from './usecases/sending/check-delivery';
import { makeDeliverAgentMessage } from './usecases/sending/deliver-agent-message';
import type { FindOwnSubusers } from './usecases/sending/find-recipient';
import { makeGetMessageStatus } from './usecases/sending/get-message-status';
import type { SyncSharedNames } from './usecases/shares/sync-shared-names';
import { makeListFriends, type FindNames } from './usecases/list-friends';
import { makeSendFriendMessage, makeSendSteps } from './usecases/sending/send-friend-message';
import { makeSendFriendMessages } from './usecases/sending/send-friend-messages';
import { makeSetFriendLimits } from './usecases/settings/set-friend-limits';
import { makeSetFriendNickname } from './usecases/settings/set-friend-nickname';
import { makeShareSubuser, makeUnshareSubuser, type ShareCallDeps } from './usecases/share-subuser';

export interface UsecasesDeps extends ChangeTieDeps {
  readonly outbox: OutboxStore;
  /** How much one user may send to another. */
  readonly addressLimits: BudgetLimits;
  readonly directory: ShareCallDeps['directory'];
  readonly describeSubuser: ShareCallDeps['describeSubuser'];
  readonly findOwnSubusers: FindOwnSubusers;
  readonly findNames: FindNames;
  readonly syncSharedNames: SyncSharedNames;
  readonly limitBlocks: BlockCallDeps['limitBlocks'];
}

/** Constructs the usecases for everything that callers can request from social-graph. */
export function buildUsecases(deps: UsecasesDeps): SocialGraphUsecases {
  const { ties, outbox, directory, describeSubuser, syncSharedNames, addressLimits, now } = deps;
  const { changes, policy, limits, deletedUsers, forgetUser, endTie, publishAgain } = deps;
  const { newId, log, hint } = deps;
  const changeTie = makeChangeTie({
    ties,
    changes,
    policy,
    limits,
    deletedUsers,
    forgetUser,
    endTie,
    publishAgain,
    now,
    newId,
    log,
    hint,
  });
  const shareDeps = { directory, changeTie, now, describeSubuser, syncSharedNames };
  const { findOwnSubusers, findNames, limitBlocks } = deps;
  const sendSteps = makeSendSteps({ directory, findOwnSubusers, ties, outbox, addressLimits, now });
  const checkDelivery = makeCheckDelivery({ directory, ties, addressLimits });
  return {
    addFriend: makeAddFriend({ directory, changeTie, now }),
    removeFriend: makeRemoveFriend({ directory, changeTie, now }),
    blockUser: makeBlockUser({ directory, changeTie, now, ties, policy, limitBlocks }),
    unblockUser: makeUnblockUser({ directory, changeTie, now }),
    setFriendLimits: makeSetFriendLimits({ directory, changeTie, now }),
    setFriendNickname: makeSetFriendNickname({ directory, changeTie, now }),
    shareSubuser: makeShareSubuser(shareDeps),
    unshareSubuser: makeUnshareSubuser(shareDeps),
    sendFriendMessage: makeSendFriendMessage(sendSteps),
    sendFriendMessages: makeSendFriendMessages(sendSteps),
    listFriends: makeListFriends({ ties, findNames }),
    getMessageStatus: makeGetMessageStatus({ outbox }),
    deliverAgentMessage: makeDeliverAgentMessage({ directory, outbox, checkDelivery }),
    checkDelivery,
  };
}
