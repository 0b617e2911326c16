import { DeliveryRelation, type SocialGraphServiceService } from '@daycare/contracts/social-graph';
import type { RpcClient } from '@daycare/rpc';
import { ownFault } from '@daycare/service-kit';
import type { Relation } from '../domain/agent-message-rules';
import type { AgentCall } from '../usecases/agent-call';
import type { FindRelation } from '../usecases/send-agent-message';
import { makeAsAgent, subjectOf, type Credential } from './as-agent';
import {
  toAddAnswer,
  toBlockAnswer,
  toFriendList,
  toRemoveAnswer,
  toSentAnswer,
  toShareAnswer,
  toUnshareAnswer,
} from './friend-answers';

type Client = RpcClient<typeof SocialGraphServiceService>;

const relationOf: Partial<Record<DeliveryRelation, Relation>> = {
  [DeliveryRelation.SAME_USER]: 'same_user',
  [DeliveryRelation.OWN_SUBUSER]: 'own_subuser',
  [DeliveryRelation.OWNER]: 'owner',
  [DeliveryRelation.FRIEND]: 'friend',
  [DeliveryRelation.SHARED_SUBUSER]: 'shared_subuser',
  [DeliveryRelation.SHARE_GUEST]: 'share_guest',
};

/** Asks social-graph each time: an answer that was remembered could outlive a revoke. */
export function makeFindRelation(
  socialGraph: Pick<Client, 'checkDelivery'>,
  credential: Credential,
): FindRelation {
  return async (from, recipientUserId) => {
    const metadata = await credential.metadata('social-graph', subjectOf(from));
    const answer = await socialGraph
      .checkDelivery({ recipientUserId }, { metadata })
      .catch((error: unknown) => {
        throw ownFault(error);
      });
    return answer.allowed ? relationOf[answer.relation] : undefined;
  };
}

/** As many of each list as an agent could be shown at once. */
const listSize = 100;

/** A subuser and the friend it is shared with. */
export interface ShareNames {
  readonly friendNametag: string;
  readonly subuserId: string;
}

/** What an agent can do about friends. The rules are social-graph's; it knows which agent calls. */
export type Friends = ReturnType<typeof makeFriends>;

export function makeFriends(socialGraph: Omit<Client, 'close'>, credential: Credential) {
  const asAgent = makeAsAgent(credential, 'social-graph');
  return {
    async add(call: AgentCall, nametag: string) {
      const request = { requestId: call.requestId, nametag };
      return toAddAnswer(await asAgent(call, (options) => socialGraph.addFriend(request, options)));
    },
    async remove(call: AgentCall, nametag: string) {
      const request = { requestId: call.requestId, nametag };
      return toRemoveAnswer(
        await asAgent(call, (options) => socialGraph.removeFriend(request, options)),
      );
    },
    async send(call: AgentCall, nametag: string, message: string) {
      const request = { requestId: call.requestId, nametag, message };
      return toSentAnswer(
        await asAgent(call, (options) => socialGraph.sendFriendMessage(request, options)),
      );
    },
    async share(call: AgentCall, names: ShareNames) {
      const request = { requestId: call.requestId, ...names };
      return toShareAnswer(
        await asAgent(call, (options) => socialGraph.shareSubuser(request, options)),
      );
    },
    async unshare(call: AgentCall, names: ShareNames) {
      const request = { requestId: call.requestId, ...names };
      return toUnshareAnswer(
        await asAgent(call, (options) => socialGraph.unshareSubuser(request, options)),
      );
    },
    async block(call: AgentCall, nametag: string) {
      const request = { requestId: call.requestId, nametag };
      return toBlockAnswer(
        await asAgent(call, (options) => socialGraph.blockUser(request, options)),
      );
    },
    async unblock(call: AgentCall, nametag: string) {
      const request = { requestId: call.requestId, nametag };
      return toBlockAnswer(
        await asAgent(call, (options) => socialGraph.unblockUser(request, options)),
      );
    },
    async list(call: AgentCall) {
      const request = { pageSize: listSize, pageToken: '' };
      return toFriendList(
        await asAgent(call, (options) => socialGraph.listFriends(request, options)),
      );
    },
  };
}
