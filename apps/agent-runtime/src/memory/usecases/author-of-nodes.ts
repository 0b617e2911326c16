import type { Trust } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { UserHomes } from '../../homes';
import type { MemoryNode } from '../domain/memory-node';
import { pathOf } from './memory-files';

/**
 * The lowest trust of the authors of nodes of the agent's user; undefined when all are the user's own.
 */
export type AuthorOfNodes = (
  call: AgentCall,
  nodes: readonly MemoryNode[],
) => Promise<Trust | undefined>;

export function makeAuthorOfNodes(homes: Pick<UserHomes, 'provenance'>): AuthorOfNodes {
  return async ({ agent }, nodes) => {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const texts = [...byId.values()].map(({ id, sha256 = '' }) => ({ path: pathOf(id), sha256 }));
    return texts.length === 0 ? undefined : homes.provenance.authorOf(agent.userId, texts);
  };
}
