import { FieldChecks, notFound } from '@daycare/api';
import type { MemoryGraph } from '../domain/memory-graph';
import { checkNodeId, rootId, type MemoryNode } from '../domain/memory-node';
import type { UserHomes } from '../../homes';
import type { AgentCall } from '../../agents';
import { readNode } from './memory-files';
import type { OpenMemory } from './user-memory';

export interface ReadMemoryDeps {
  readonly homes: Pick<UserHomes, 'read'>;
  readonly openMemory: OpenMemory;
  readonly now: () => Date;
}

/** A node, or the root, and its neighbours. */
export interface NodeView {
  /** Undefined for the root. */
  readonly node: MemoryNode | undefined;
  readonly parents: readonly MemoryNode[];
  readonly children: readonly MemoryNode[];
  readonly links: readonly MemoryNode[];
  readonly backlinks: readonly MemoryNode[];
}

/** Reads a node or the root, with its neighbours, from the memory of the agent's user. */
export function makeReadMemory({ homes, openMemory, now }: ReadMemoryDeps) {
  return async ({ agent: { userId } }: AgentCall, nodeId: string): Promise<NodeView> => {
    if (nodeId !== rootId) checkNodeId(new FieldChecks(), nodeId).done();
    return openMemory(userId, async ({ graph }) => {
      if (nodeId === rootId) return viewOfRoot(graph);
      const lastKnownAt = graph.find(nodeId)?.updatedAt ?? now();
      const node = await readNode(homes, userId, nodeId, lastKnownAt);
      if (!node) throw notFound('memory node');
      return viewOf(graph, node);
    });
  };
}

/** Returns a node with its neighbours. */
export function viewOf(graph: MemoryGraph, node: MemoryNode): NodeView {
  return {
    node,
    parents: graph.parentsOf(node),
    children: graph.childrenOf(node.id),
    links: graph.linksOf(node),
    backlinks: graph.backlinksOf(node.id),
  };
}

function viewOfRoot(graph: MemoryGraph): NodeView {
  const children = graph.childrenOf(rootId);
  return { node: undefined, parents: [], children, links: [], backlinks: [] };
}
