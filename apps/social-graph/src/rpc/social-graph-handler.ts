import { socialGraphAccess } from '@daycare/contracts/access';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { AppError } from '@daycare/errors';
import {
  implementService,
  type Caller,
  type ServiceImplementation,
  type UserCaller,
} from '@daycare/rpc';
import { blockSummary, sentSummary } from '../domain/wording';
import type { SocialGraphUsecases } from '../usecases';
import { hideTiming } from '../usecases/hide-timing';
import {
  toAddResponse,
  toDeliveryResponse,
  toListResponse,
  toRemoveResponse,
  toShareResponse,
  toStatusResponse,
  toUnshareResponse,
} from './social-graph-messages';

/** daycare.social_graph.v1.SocialGraphService: translation between messages and usecases, nothing else. */
export function socialGraphHandler(usecases: SocialGraphUsecases): ServiceImplementation {
  return implementService(
    'daycare.social_graph.v1.SocialGraphService',
    SocialGraphServiceService,
    socialGraphAccess,
    {
      addFriend: async (request, { caller }) =>
        toAddResponse(
          await hideTiming(() =>
            usecases.addFriend({ ...request, callerId: userOf(caller).userId }),
          ),
        ),
      removeFriend: async (request, { caller }) =>
        toRemoveResponse(
          await hideTiming(() =>
            usecases.removeFriend({ ...request, callerId: userOf(caller).userId }),
          ),
        ),
      sendFriendMessage: async (request, { caller }) => {
        const { userId: callerId, agentId, hops = 0 } = userOf(caller);
        const sent = await hideTiming(() =>
          usecases.sendFriendMessage({ ...request, callerId, agentId, hops }),
        );
        return { ...sent, summary: sentSummary(sent.nametag) };
      },
      shareSubuser: async (request, { caller }) =>
        toShareResponse(
          await hideTiming(() =>
            usecases.shareSubuser({ ...request, callerId: userOf(caller).userId }),
          ),
        ),
      unshareSubuser: async (request, { caller }) =>
        toUnshareResponse(
          await hideTiming(() =>
            usecases.unshareSubuser({ ...request, callerId: userOf(caller).userId }),
          ),
        ),
      blockUser: async (request, { caller }) => {
        const { nametag, answer } = await hideTiming(() =>
          usecases.blockUser({ ...request, callerId: userOf(caller).userId }),
        );
        return { nametag, summary: blockSummary[answer](nametag) };
      },
      unblockUser: async (request, { caller }) => {
        const { nametag, answer } = await hideTiming(() =>
          usecases.unblockUser({ ...request, callerId: userOf(caller).userId }),
        );
        return { nametag, summary: blockSummary[answer](nametag) };
      },
      listFriends: async (request, { caller }) =>
        toListResponse(await usecases.listFriends({ ...request, callerId: userOf(caller).userId })),
      getMessageStatus: async ({ messageId }, { caller }) =>
        toStatusResponse(await usecases.getMessageStatus(userOf(caller).userId, messageId)),
      checkDelivery: async ({ recipientUserId }, { caller }) => {
        const { userId, parentUserId } = userOf(caller);
        return toDeliveryResponse(
          await usecases.checkDelivery({ userId, parentUserId }, recipientUserId),
        );
      },
    },
  );
}

/** The access table admits users, and services; a service must say for whom it asks. */
function userOf(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new AppError('INVALID_ARGUMENT', 'This call is made for a user; send its context along');
}
