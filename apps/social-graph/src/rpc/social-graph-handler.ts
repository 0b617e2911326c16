import { socialGraphRules } from '@daycare/contracts/scopes';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { implementService, requireUser, type ServiceImplementation } from '@daycare/rpc';
import { blockSummary } from '../domain/wording';
import type { SocialGraphUsecases } from '../usecases';
import { makeLimitBlocks } from './limit-blocks';
import { makeGuardLookups } from './nametag-guard';
import { sendFriendMessagesHandler } from './send-friend-messages';
import {
  fromLimits,
  toAddResponse,
  toDeliveryResponse,
  toLimitsResponse,
  toListResponse,
  toRelations,
  toRemoveResponse,
  toSendResponse,
  toShareResponse,
  toStatusResponse,
  toUnshareResponse,
} from './social-graph-messages';

export interface HandlerOptions {
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  /** How many nametags that do not exist a user may name, at once and per minute. */
  readonly notFoundPerMinute: number;
  /** How many users a user may block, at once and per hour. */
  readonly blocksPerHour: number;
  /** Looks up a nametag that does not exist at identity. */
  readonly askIdentity: () => Promise<unknown>;
}

/** daycare.social_graph.v1.SocialGraphService: translates between messages and usecases, nothing else. */
export function socialGraphHandler(
  usecases: SocialGraphUsecases,
  { stopping, notFoundPerMinute, blocksPerHour, askIdentity }: HandlerOptions,
): ServiceImplementation {
  const guard = makeGuardLookups(notFoundPerMinute, askIdentity);
  const limitBlocks = makeLimitBlocks(blocksPerHour);
  return implementService(
    'daycare.social_graph.v1.SocialGraphService',
    SocialGraphServiceService,
    socialGraphRules,
    {
      addFriend: async (request, { caller, traceparent }) =>
        toAddResponse(
          await guard(requireUser(caller).userId, () =>
            usecases.addFriend({ ...request, callerId: requireUser(caller).userId, traceparent }),
          ),
        ),
      removeFriend: async (request, { caller, traceparent }) =>
        toRemoveResponse(
          await guard(requireUser(caller).userId, () =>
            usecases.removeFriend({
              ...request,
              callerId: requireUser(caller).userId,
              traceparent,
            }),
          ),
        ),
      sendFriendMessage: async (request, { caller, traceparent }) => {
        const { userId: callerId, agentId, ...turn } = requireUser(caller);
        return toSendResponse(
          await guard(callerId, () =>
            usecases.sendFriendMessage({ ...request, callerId, agentId, turn, traceparent }),
          ),
        );
      },
      sendFriendMessages: sendFriendMessagesHandler(usecases, { stopping, guard }),
      shareSubuser: async (request, { caller, traceparent }) =>
        toShareResponse(
          await guard(requireUser(caller).userId, () =>
            usecases.shareSubuser({
              ...request,
              callerId: requireUser(caller).userId,
              traceparent,
            }),
          ),
        ),
      unshareSubuser: async (request, { caller, traceparent }) =>
        toUnshareResponse(
          await guard(requireUser(caller).userId, () =>
            usecases.unshareSubuser({
              ...request,
              callerId: requireUser(caller).userId,
              traceparent,
            }),
          ),
        ),
      blockUser: async (request, { caller, traceparent }) => {
        limitBlocks(requireUser(caller).userId);
        const { nametag, answer } = await guard(requireUser(caller).userId, () =>
          usecases.blockUser({ ...request, callerId: requireUser(caller).userId, traceparent }),
        );
        return { nametag, summary: blockSummary[answer](nametag) };
      },
      unblockUser: async (request, { caller, traceparent }) => {
        const { nametag, answer } = await guard(requireUser(caller).userId, () =>
          usecases.unblockUser({ ...request, callerId: requireUser(caller).userId, traceparent }),
        );
        return { nametag, summary: blockSummary[answer](nametag) };
      },
      setFriendLimits: async ({ limits, ...request }, { caller, traceparent }) => {
        const { userId: callerId } = requireUser(caller);
        const answer = await guard(callerId, () =>
          usecases.setFriendLimits({
            ...request,
            callerId,
            traceparent,
            limits: fromLimits(limits),
          }),
        );
        return toLimitsResponse(answer);
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
