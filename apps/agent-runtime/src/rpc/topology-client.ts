import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { RpcClient } from '@daycare/rpc';
import type { AgentCall } from '../usecases/agent-call';
import { makeAsAgent, type Credential } from './as-agent';

/** What an agent can see and reach, in topology's words. */
export type ShowTopology = (
  call: Pick<AgentCall, 'agent' | 'signal'>,
  includeDead: boolean,
) => Promise<string>;

/** Asks topology as the agent: it knows what each may see. */
export function makeShowTopology(
  topology: Pick<RpcClient<typeof TopologyServiceService>, 'getTopology'>,
  credential: Credential,
): ShowTopology {
  const asAgent = makeAsAgent(credential, 'topology');
  return async (call, includeDead) => {
    const request = { pageSize: 0, pageToken: '', includeDead };
    const { text } = await asAgent(call, (options) => topology.getTopology(request, options));
    return text;
  };
}
