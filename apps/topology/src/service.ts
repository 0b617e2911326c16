import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import { joinInstance, type BuiltService, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { makeOwners } from './rpc/owners';
import { topologyHandler } from './rpc/topology-handler';
import { makeGetTopology } from './usecases/get-topology';

/** A thousand friends with what they share, and then some. */
const maxMessageBytes = 64 << 20;

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const { authenticate, credential, ...membership } = await joinInstance('topology', config, kit);
  const owners = makeOwners({ ...membership, ...openPeers(config, kit) }, credential);
  const getTopology = makeGetTopology({
    owners,
    now: () => new Date(),
    reportDown: (owner, err) => kit.log.warn({ owner, err }, 'answering without an owner'),
  });
  return { services: [topologyHandler({ getTopology })], authenticate };
}

function openPeers({ tls, agentRuntimeAddress, socialGraphAddress }: Config, { stop }: ServiceKit) {
  const common = { credentials: channelCredentials(tls), maxMessageBytes };
  const agentRuntime = createRpcClient(AgentRuntimeServiceService, {
    ...common,
    address: agentRuntimeAddress,
  });
  const socialGraph = createRpcClient(SocialGraphServiceService, {
    ...common,
    address: socialGraphAddress,
  });
  stop.add('close', 'peers', async () => [agentRuntime, socialGraph].forEach((c) => c.close()));
  return { agentRuntime, socialGraph };
}
