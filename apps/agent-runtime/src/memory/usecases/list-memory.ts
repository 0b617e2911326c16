import { FieldChecks, notFound } from '@daycare/api';
import { checkNodeId, rootId, type MemoryNode } from '../domain/memory-node';
import type { AgentCall } from '../../agents';
import type { OpenMemory } from './user-memory';

export interface ListedNode {
  readonly node: MemoryNode;
  /** The number of direct children. */
  readonly childCount: number;
}

/** Lists the direct children of a node or of the root, in the memory of the agent's user. */
export function makeListMemory({ openMemory }: { readonly openMemory: OpenMemory }) {
  return async ({ agent }: AgentCall, parentId: string): Promise<readonly ListedNode[]> => {
    if (parentId !== rootId) checkNodeId(new FieldChecks(), parentId, 'parent').done();
    return openMemory(agent.userId, ({ graph }) => {
      if (parentId !== rootId && !graph.find(parentId)) throw notFound('memory node');
      return graph
        .childrenOf(parentId)
        .map((node) => ({ node, childCount: graph.childrenOf(node.id).length }));
    });
  };
}
