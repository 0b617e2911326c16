import type { makeAddFriend, makeRemoveFriend } from './add-friend';
import type { makeBlockUser, makeUnblockUser } from './block-user';
import type { makeCheckDelivery } from './check-delivery';
import type { makeGetMessageStatus } from './get-message-status';
import type { makeListFriends } from './list-friends';
import type { makeSendFriendMessage } from './send-friend-message';
import type { makeShareSubuser, makeUnshareSubuser } from './share-subuser';

/** Everything social-graph can do for a caller. */
export interface SocialGraphUsecases {
  readonly addFriend: ReturnType<typeof makeAddFriend>;
  readonly removeFriend: ReturnType<typeof makeRemoveFriend>;
  readonly sendFriendMessage: ReturnType<typeof makeSendFriendMessage>;
  readonly shareSubuser: ReturnType<typeof makeShareSubuser>;
  readonly unshareSubuser: ReturnType<typeof makeUnshareSubuser>;
  readonly blockUser: ReturnType<typeof makeBlockUser>;
  readonly unblockUser: ReturnType<typeof makeUnblockUser>;
  readonly listFriends: ReturnType<typeof makeListFriends>;
  readonly getMessageStatus: ReturnType<typeof makeGetMessageStatus>;
  readonly checkDelivery: ReturnType<typeof makeCheckDelivery>;
}
