import type { Lifecycle } from '../domain/agent';
import { gatewayKey } from '../domain/descriptor-kinds';
import type { AgentStore } from '../store/agent-store';
import type { AgentCall } from './agent-call';
import type { DescribeAgents } from './describe-agents';
import type { Subuser, Subusers } from './subusers';

export interface ListSubusersDeps {
  readonly subusers: Subusers;
  readonly agents: Pick<AgentStore, 'findByKeys'>;
  readonly describeAgents: DescribeAgents;
}

export interface ListedSubuser extends Subuser {
  /** Undefined when its maker did not come to make it. */
  readonly gateway: { readonly agentId: string; readonly lifecycle: Lifecycle } | undefined;
}

/** The first of the caller's subusers with their gateways, and how many there are in all. */
export function makeListSubusers({ subusers, agents, describeAgents }: ListSubusersDeps) {
  return async (
    call: AgentCall,
    limit: number,
  ): Promise<{ subusers: readonly ListedSubuser[]; count: number }> => {
    const all = await subusers.list(call);
    const first = all.slice(0, limit);
    const keys = first.map(({ id: userId }) => ({ userId, key: gatewayKey(userId) }));
    const views = keys.length > 0 ? await describeAgents(await agents.findByKeys(keys)) : [];
    const gateways = new Map(
      views.map(({ agent, lifecycle }) => [agent.userId, { agentId: agent.id, lifecycle }]),
    );
    const listed = first.map((subuser) => ({ ...subuser, gateway: gateways.get(subuser.id) }));
    return { subusers: listed, count: all.length };
  };
}
