import type { Trust } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { UserHomes } from '../../homes';
import type { MemoryNode } from '../domain/memory-node';
import { pathOf } from './memory-files';

/** Returns the lowest trust among the authors of these nodes; undefined when all nodes are the user's own. */
export type AuthorOfNodes = (
  call: AgentCall,
  nodes: readonly MemoryNode[],
) => Promise<Trust | undefined>;

export function makeAuthorOfNodes(homes: Pick<UserHomes, 'provenance'>): AuthorOfNodes {
  return async ({ agent }, nodes) => {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const files = [...byId.values()].map(({ id, sha256 = '' }) => ({ path: pathOf(id), sha256 }));
    return files.length === 0 ? undefined : homes.provenance.authorOf(agent.userId, files);
  };
}
