import { enumOf, findWord } from '@daycare/contracts/enum-words';
import { DeliveryRelation, type SocialGraphServiceService } from '@daycare/contracts/social-graph';
import type { RpcClient } from '@daycare/rpc';
import { makeCallPeer } from '@daycare/service-kit';
import type { DeliverAcrossUsers, FindRelation } from '../messaging';
import type { Friends } from '../tools';
import { makeAsAgent, sentTurn, subjectOf, type Credential } from './as-agent';
import {
  toBlockChange,
  toFriendChange,
  toFriendList,
  toRemoval,
  toSentMessage,
  toShareChange,
} from './friend-views';

type Client = RpcClient<typeof SocialGraphServiceService>;

/** Calls social-graph every time, because a cached relation could outlive a share that has been revoked. */
export function makeFindRelation(
  socialGraph: Pick<Client, 'checkDelivery'>,
  credential: Credential,
): FindRelation {
  const callSocialGraph = makeCallPeer(credential, 'social-graph');
  return async (from, recipientUserId) => {
    const response = await callSocialGraph(
      (options) => socialGraph.checkDelivery({ recipientUserId }, options),
      subjectOf(from),
    );
    return response.allowed ? findWord(DeliveryRelation, response.relation) : undefined;
  };
}

/**
 * social-graph checks whether the two users have one of the allowed relations. If so, it queues the message in the lane
 * from the sending to the receiving user, which keeps messages in order; if not, this resolves to false.
 */
export function makeDeliverAcrossUsers(
  socialGraph: Pick<Client, 'deliverAgentMessage'>,
  credential: Credential,
): DeliverAcrossUsers {
  const callSocialGraph = makeCallPeer(credential, 'social-graph');
  return async (from, { allowedRelations, hops, trust, carriesPrivate, ...message }) => {
    const turn = sentTurn({ hops, trust, carriesPrivate });
    const request = {
      ...message,
      allowedRelations: allowedRelations.map((relation) => enumOf(DeliveryRelation, relation)),
    };
    const { accepted } = await callSocialGraph(
      (options) => socialGraph.deliverAgentMessage(request, options),
      { ...subjectOf(from), ...turn },
    );
    return accepted;
  };
}

/** More entries than a tool result can show from any of the lists, so one page is enough. */
const pageSize = 100;

/** Implements friend operations by calling social-graph on behalf of an agent. */
export function makeFriends(socialGraph: Omit<Client, 'close'>, credential: Credential): Friends {
  const asAgent = makeAsAgent(credential, 'social-graph');
  return {
    async add(call, nametag) {
      const request = { requestId: call.requestId, nametag };
      return toFriendChange(
        await asAgent(call, (options) => socialGraph.addFriend(request, options)),
      );
    },
    async remove(call, nametag) {
      const request = { requestId: call.requestId, nametag };
      return toRemoval(
        await asAgent(call, (options) => socialGraph.removeFriend(request, options)),
      );
    },
    async send(call, nametag, message) {
      const request = { requestId: call.requestId, nametag, message };
      return toSentMessage(
        await asAgent(call, (options) => socialGraph.sendFriendMessage(request, options)),
      );
    },
    async share(call, share) {
      const request = { requestId: call.requestId, ...share };
      return toShareChange(
        await asAgent(call, (options) => socialGraph.shareSubuser(request, options)),
      );
    },
    async unshare(call, share) {
      const request = { requestId: call.requestId, ...share };
      return toRemoval(
        await asAgent(call, (options) => socialGraph.unshareSubuser(request, options)),
      );
    },
    async block(call, nametag) {
      const request = { requestId: call.requestId, nametag };
      return toBlockChange(
        await asAgent(call, (options) => socialGraph.blockUser(request, options)),
      );
    },
    async unblock(call, nametag) {
      const request = { requestId: call.requestId, nametag };
      return toBlockChange(
        await asAgent(call, (options) => socialGraph.unblockUser(request, options)),
      );
    },
    async list(call) {
      const request = { pageSize, pageToken: '' };
      return toFriendList(
        await asAgent(call, (options) => socialGraph.listFriends(request, options)),
      );
    },
  };
}
