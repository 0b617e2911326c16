import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { createRpcClient } from '@daycare/rpc';
import { openSurroundings, socialEnv, type Graph, type Surroundings } from './social-stack';
import { startTrappedService, type Traps } from './trapped-service';

/** Identity, and one process of social-graph that dies exactly where it is told to. */
export interface TrappedGraph extends Surroundings, Traps {
  readonly graph: Graph;
  readonly stop: () => Promise<void>;
}

export async function startTrappedGraph(): Promise<TrappedGraph> {
  const { stack, stepsOf, dieAt } = await startTrappedService('social-graph', {
    services: ['identity', 'social-graph'],
    env: socialEnv,
  });
  const { close, ...surroundings } = await openSurroundings(stack);
  const address = stack.addressOf('social-graph');
  const graph = createRpcClient(SocialGraphServiceService, { address });
  return {
    ...surroundings,
    graph,
    stepsOf,
    dieAt,
    async stop() {
      graph.close();
      await close();
      await stack.stop();
    },
  };
}
