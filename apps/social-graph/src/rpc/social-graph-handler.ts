import { socialGraphRules } from '@daycare/contracts/scopes';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { implementService, requireUser, type ServiceImplementation } from '@daycare/rpc';
import type { StatusReport } from '@daycare/service-kit';
import { blockSummary } from '../domain/wording';
import type { SocialGraphUsecases } from '../usecases';
import { makeGuardLookups, type FillerLookups, type NamedTarget } from '../guards/nametag-guard';
import { sendFriendMessagesHandler } from './send-friend-messages';
import {
  fromLimits,
  toAddResponse,
  toDeliveryResponse,
  toLimitsResponse,
  toListResponse,
  toNicknameResponse,
  toRelations,
  toRemoveResponse,
  toSendResponse,
  toShareResponse,
  toStatusResponse,
  toUnshareResponse,
} from './social-graph-messages';

export interface HandlerOptions {
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** How many unknown nametags a user may look up per minute in this process; all of them may come in one burst. */
  readonly notFoundPerMinute: number;
  /** Look-ups that find nothing; see `FillerLookups`. */
  readonly fillers: FillerLookups;
  /** The RPCs that every service offers to operators. */
  readonly status?: StatusReport['handlers'];
}

/**
 * daycare.social_graph.v1.SocialGraphService: translates between messages and usecases, and limits how many unknown
 * nametags a user may look up.
 */
export function socialGraphHandler(
  usecases: SocialGraphUsecases,
  { stopping, notFoundPerMinute, fillers, status }: HandlerOptions,
): ServiceImplementation {
  const guard = makeGuardLookups(notFoundPerMinute, fillers);
  return implementService(
    'daycare.social_graph.v1.SocialGraphService',
    SocialGraphServiceService,
    socialGraphRules,
    {
      ...status,
      addFriend: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        return toAddResponse(
          await guard(nametagIn(request, callerId), (lookups) =>
            usecases.addFriend({ ...request, callerId, traceparent, lookups }),
          ),
        );
      },
      removeFriend: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        return toRemoveResponse(
          await guard(nametagIn(request, callerId), (lookups) =>
            usecases.removeFriend({ ...request, callerId, traceparent, lookups }),
          ),
        );
      },
      sendFriendMessage: async (request, { caller, traceparent }) => {
        const { userId: callerId, agentId, ...turn } = requireUser(caller);
        return toSendResponse(
          await guard(nametagIn(request, callerId), (lookups) =>
            usecases.sendFriendMessage({
              ...request,
              callerId,
              agentId,
              turn,
              traceparent,
              lookups,
            }),
          ),
        );
      },
      sendFriendMessages: sendFriendMessagesHandler(usecases, { stopping, guard }),
      shareSubuser: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        return toShareResponse(
          await guard(shareIn(request, callerId), (lookups) =>
            usecases.shareSubuser({ ...request, callerId, traceparent, lookups }),
          ),
        );
      },
      unshareSubuser: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        return toUnshareResponse(
          await guard(shareIn(request, callerId), (lookups) =>
            usecases.unshareSubuser({ ...request, callerId, traceparent, lookups }),
          ),
        );
      },
      blockUser: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        const { nametag, answer } = await guard(nametagIn(request, callerId), (lookups) =>
          usecases.blockUser({ ...request, callerId, traceparent, lookups }),
        );
        return { nametag, summary: blockSummary[answer](nametag) };
      },
      unblockUser: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        const { nametag, answer } = await guard(nametagIn(request, callerId), (lookups) =>
          usecases.unblockUser({ ...request, callerId, traceparent, lookups }),
        );
        return { nametag, summary: blockSummary[answer](nametag) };
      },
      setFriendLimits: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        const limits = fromLimits(request.limits);
        const answer = await guard(nametagIn(request, callerId), (lookups) =>
          usecases.setFriendLimits({ ...request, callerId, traceparent, limits, lookups }),
        );
        return toLimitsResponse(answer);
      },
      setFriendNickname: async (request, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        return toNicknameResponse(
          await guard(nametagIn(request, callerId), (lookups) =>
            usecases.setFriendNickname({ ...request, callerId, traceparent, lookups }),
          ),
        );
      },
      listFriends: async (request, { caller }) =>
        toListResponse(
          await usecases.listFriends({ ...request, callerId: requireUser(caller).userId }),
        ),
      getMessageStatus: async ({ messageId }, { caller }) =>
        toStatusResponse(await usecases.getMessageStatus(requireUser(caller).userId, messageId)),
      deliverAgentMessage: async ({ allowedRelations, ...request }, { caller, traceparent }) => {
        const { userId, parentUserId, agentId, ...turn } = requireUser(caller);
        const accepted = await usecases.deliverAgentMessage({
          ...request,
          allowedRelations: toRelations(allowedRelations),
          sender: { userId, parentUserId },
          agentId,
          turn,
          traceparent,
        });
        return { accepted };
      },
      checkDelivery: async ({ recipientUserId }, { caller }) => {
        const { userId, parentUserId } = requireUser(caller);
        return toDeliveryResponse(
          await usecases.checkDelivery({ userId, parentUserId }, recipientUserId),
        );
      },
    },
  );
}

function nametagIn({ nametag: name }: { nametag: string }, userId: string): NamedTarget {
  return { userId, name };
}

/** The name includes the subuser, so that each subuser named with the same friend counts as a separate guess. */
function shareIn(
  { friendNametag, subuserId }: { friendNametag: string; subuserId: string },
  userId: string,
): NamedTarget {
  return { userId, name: `${friendNametag} ${subuserId}` };
}
