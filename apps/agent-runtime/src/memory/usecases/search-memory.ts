import { FieldChecks } from '@daycare/api';
import type { RankedNode } from '../domain/rank-memory';
import type { AgentCall } from '../../agents';
import { viewOf, type NodeView } from './read-memory';
import type { OpenMemory } from './user-memory';

/** A node that matches or is linked to a match, and its neighbours. */
export interface FoundNode extends NodeView, RankedNode {
  readonly node: RankedNode['node'];
}

const maxQueryLength = 500;

/** Searches the memory of the agent's user; `count` includes the nodes beyond the limit. */
export function makeSearchMemory({ openMemory }: { readonly openMemory: OpenMemory }) {
  return async (
    { agent }: AgentCall,
    query: string,
    limit: number,
  ): Promise<{ found: readonly FoundNode[]; count: number }> => {
    new FieldChecks().text(query, 'query', { min: 1, max: maxQueryLength }).done();
    return openMemory(agent.userId, async ({ graph, search }) => {
      const ranked = await search(query);
      const found = ranked
        .slice(0, limit)
        .map((each) => ({ ...viewOf(graph, each.node), ...each }));
      return { found, count: ranked.length };
    });
  };
}
