import type { Trust } from '@daycare/api';
import {
  type AgentCall,
  type AgentReader,
  type DescribeAgents,
  gatewayKey,
  type Lifecycle,
} from '../../agents';
import type { Subuser, Subusers } from './subuser-directory';

export interface ListSubusersDeps {
  readonly subusers: Subusers;
  readonly agents: Pick<AgentReader, 'findByKeys'>;
  readonly describeAgents: DescribeAgents;
}

export interface ListedSubuser extends Subuser {
  /** Undefined while the subuser has no gateway yet, e.g. because its creation was interrupted. */
  readonly gateway: { readonly agentId: string; readonly lifecycle: Lifecycle } | undefined;
  /** The trust of its name's author; undefined when that is the user. */
  readonly writtenBy: Trust | undefined;
}

const none = { gateway: undefined, writtenBy: undefined };

/** Lists the caller's first `limit` subusers with their gateways, and returns the total number. */
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
      views.map(({ agent, lifecycle }) => [
        agent.userId,
        { gateway: { agentId: agent.id, lifecycle }, writtenBy: agent.nameTrust },
      ]),
    );
    const listed = first.map((subuser) => ({ ...subuser, ...(gateways.get(subuser.id) ?? none) }));
    return { subusers: listed, count: all.length };
  };
}
