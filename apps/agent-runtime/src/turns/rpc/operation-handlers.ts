import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { Handlers } from '@daycare/rpc';
import type { OperateShards } from '../usecases/operate-shards';

type OperationHandlers = Pick<
  Handlers<typeof AgentRuntimeServiceService>,
  'listShards' | 'listStuckAgents' | 'drainReplica'
>;

/** The RPCs with which operators inspect shards and drain replicas. */
export function operationHandlers(usecases: OperateShards): OperationHandlers {
  return {
    listShards: async () => {
      const { shards, replicas } = await usecases.listShards();
      return {
        shards: shards.map(({ shard, fence, replicaId = '', waitingAgents, oldestAt }) => ({
          number: shard,
          fence,
          replicaId,
          waitingAgents,
          oldestItemAt: oldestAt,
        })),
        replicas: replicas.map(({ isLeaving: leaving, isDrained: drained, ...replica }) => ({
          ...replica,
          leaving,
          drained,
        })),
      };
    },
    listStuckAgents: async (request) => ({
      agents: (await usecases.listStuckAgents(request)).map(
        ({ oldestAt, replicaId = '', waitingFor = '', ...agent }) => ({
          ...agent,
          replicaId,
          waitingFor,
          oldestItemAt: oldestAt,
        }),
      ),
    }),
    drainReplica: async (request) => {
      await usecases.drainReplica(request);
      return {};
    },
  };
}
