import type { makeAddFriend, makeRemoveFriend } from './add-friend';
import type { makeBlockUser, makeUnblockUser } from './block-user';
import type { CheckDelivery } from './sending/check-delivery';
import type { makeDeliverAgentMessage } from './sending/deliver-agent-message';
import type { makeGetMessageStatus } from './sending/get-message-status';
import type { makeListFriends } from './list-friends';
import type { makeSendFriendMessage } from './sending/send-friend-message';
import type { makeSendFriendMessages } from './sending/send-friend-messages';
import type { makeSetFriendLimits } from './settings/set-friend-limits';
import type { makeSetFriendNickname } from './settings/set-friend-nickname';
import type { makeShareSubuser, makeUnshareSubuser } from './share-subuser';

/** Everything that callers can request from social-graph. */
export interface SocialGraphUsecases {
  readonly addFriend: ReturnType<typeof makeAddFriend>;
  readonly removeFriend: ReturnType<typeof makeRemoveFriend>;
  readonly sendFriendMessage: ReturnType<typeof makeSendFriendMessage>;
  /** Returns a new sending function, which serves one stream. */
  readonly sendFriendMessages: ReturnType<typeof makeSendFriendMessages>;
  readonly shareSubuser: ReturnType<typeof makeShareSubuser>;
  readonly unshareSubuser: ReturnType<typeof makeUnshareSubuser>;
  readonly blockUser: ReturnType<typeof makeBlockUser>;
  readonly unblockUser: ReturnType<typeof makeUnblockUser>;
  readonly setFriendLimits: ReturnType<typeof makeSetFriendLimits>;
  readonly setFriendNickname: ReturnType<typeof makeSetFriendNickname>;
  readonly listFriends: ReturnType<typeof makeListFriends>;
  readonly getMessageStatus: ReturnType<typeof makeGetMessageStatus>;
  readonly deliverAgentMessage: ReturnType<typeof makeDeliverAgentMessage>;
  readonly checkDelivery: CheckDelivery;
}
