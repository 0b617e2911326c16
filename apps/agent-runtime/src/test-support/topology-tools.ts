import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { Handlers, RpcClient } from '@daycare/rpc';
import { testRegistry } from './test-tool';
import type { Tool } from '../tools/registry/tool';
import type { ToolOutcome } from '../tools/domain/tool-outcome';
import { testAgent, testContext } from './test-agent';
import { startTestPeers } from './test-peers';

type Topology = typeof TopologyServiceService;

/** Functions that call a tool against a topology service with the given handlers. */
export function topologyTools(makeTools: (topology: RpcClient<Topology>) => readonly Tool[]) {
  async function outcomeOf(
    handlers: Handlers<Topology>,
    name: string,
    args: object,
  ): Promise<ToolOutcome> {
    const { topology, close } = await startTestPeers({ topology: handlers });
    try {
      const tools = testRegistry(makeTools(topology));
      return await tools.call(name, JSON.stringify(args), testContext(testAgent()));
    } finally {
      await close();
    }
  }

  return {
    outcomeOf,
    call: async (handlers: Handlers<Topology>, name: string, args: object) =>
      JSON.parse((await outcomeOf(handlers, name, args)).resultJson),
  };
}
