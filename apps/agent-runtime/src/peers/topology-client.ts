import { TopologyFormat, type TopologyServiceService } from '@daycare/contracts/topology';
import type { RpcClient } from '@daycare/rpc';
import { makeCallPeer } from '@daycare/service-kit';
import type { QueueBehindWiredMessages } from '../messaging';
import type { ShowTopology } from '../tools';
import { makeAsAgent, sentTurn, subjectOf, type Credential } from './as-agent';

/** Calls topology on behalf of the agent, because topology knows what each agent may see. */
export function makeShowTopology(
  topology: Pick<RpcClient<typeof TopologyServiceService>, 'getTopology'>,
  credential: Credential,
): ShowTopology {
  const asAgent = makeAsAgent(credential, 'topology');
  return async (call, includeDead) => {
    const request = { pageSize: 0, pageToken: '', includeDead, format: TopologyFormat.TEXT };
    const { text } = await asAgent(call, (options) => topology.getTopology(request, options));
    return text;
  };
}

/**
 * Offers a message to topology, which queues it behind those of the sender's channel messages and signals to the
 * recipient that have not been delivered yet. Returns false if there are none; the caller then delivers the message.
 */
export function makeQueueBehindWiredMessages(
  topology: Pick<RpcClient<typeof TopologyServiceService>, 'forwardAgentMessage'>,
  credential: Credential,
): QueueBehindWiredMessages {
  const callTopology = makeCallPeer(credential, 'topology');
  return async (from, recipientAgentId, { messageId, text, ...turn }) => {
    const request = { messageId, recipientAgentId, text };
    const { accepted } = await callTopology(
      (options) => topology.forwardAgentMessage(request, options),
      { ...subjectOf(from), ...sentTurn(turn) },
    );
    return accepted;
  };
}
