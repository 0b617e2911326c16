import { messageIdOf } from '@daycare/api';
import {
  changeMemory,
  checkMemoryNodeSpec,
  checkMemorySize,
  type MemoryNodeSpec,
} from '../domain/change-memory';
import { renderNode } from '../domain/memory-node';
import type { UserHomes } from '../../homes';
import type { AgentCall } from '../../agents';
import type { AuthorOfNodes } from './author-of-nodes';
import { pathOf, readNode } from './memory-files';
import type { OpenMemory } from './user-memory';

export interface WriteMemoryDeps {
  readonly homes: Pick<UserHomes, 'read' | 'write'>;
  readonly authorOfNodes: AuthorOfNodes;
  readonly openMemory: OpenMemory;
  readonly now: () => Date;
}

export interface WriteMemoryRequest extends MemoryNodeSpec {
  /** The id of the node to replace or create; generated if absent. */
  readonly nodeId?: string | undefined;
}

export interface WrittenNode {
  readonly nodeId: string;
  readonly title: string;
  /** Whether the node was created. */
  readonly isNew: boolean;
}

/**
 * Writes a node to the memory of the agent's user. A missing id is derived from the call, so that a retry finds the
 * node that the first call created, and leaves it unchanged.
 */
export function makeWriteMemory({ homes, authorOfNodes, openMemory, now }: WriteMemoryDeps) {
  return async (call: AgentCall, { nodeId, ...spec }: WriteMemoryRequest): Promise<WrittenNode> => {
    checkMemoryNodeSpec(spec, nodeId);
    const { userId } = call.agent;
    const id = nodeId ?? newIdOf(call, spec);
    return openMemory(userId, async ({ graph, bytesWithout }) => {
      const lastKnownAt = graph.find(id)?.updatedAt ?? now();
      const before = await readNode(homes, userId, id, lastKnownAt);
      if (before && nodeId === undefined) return { nodeId: id, title: before.title, isNew: true };
      const node = changeMemory(graph, { id, before }, spec, now());
      const file = Buffer.from(renderNode(node), 'utf8');
      checkMemorySize(file.length, bytesWithout(id));
      // An omitted description is kept, even if a foreign turn wrote it.
      const keptFrom = before && spec.description === undefined ? [before] : [];
      const keepsForeign = (await authorOfNodes(call, keptFrom)) !== undefined;
      await homes.write(userId, pathOf(id), file, { trust: call.trust, keepsForeign });
      return { nodeId: id, title: node.title, isNew: !before };
    });
  };
}

function newIdOf({ agent, requestId }: AgentCall, spec: MemoryNodeSpec): string {
  const { title, description = '', content, parents = [] } = spec;
  const contentKey = JSON.stringify([title, description, content, parents]);
  return messageIdOf('memory-node', agent.userId, agent.id, requestId, contentKey);
}
