import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { Handlers } from '@daycare/rpc';
import { toStoredCron, toStoredHeartbeat } from '../../schedules/rpc/schedule-messages';
import type { ScopeUsecases } from '../build';
import { toGateway, toSummary } from './scope-messages';

/** The RPC with which topology reads the agents and schedules of many users. */
export function scopeHandlers({
  listScope,
}: ScopeUsecases): Handlers<typeof AgentRuntimeServiceService> {
  return {
    listScope: async (request) => {
      const { agents, gateways, crons, heartbeats, ...rest } = await listScope(request);
      return {
        ...rest,
        agents: agents.map(toSummary),
        gateways: gateways.map(toGateway),
        crons: crons.map(toStoredCron),
        heartbeats: heartbeats.map(toStoredHeartbeat),
      };
    },
  };
}
