import { changeMemory, checkNodeWish, checkRoom, type NodeWish } from '../domain/change-memory';
import { renderNode } from '../domain/memory-node';
import type { UserHomes } from '../home/user-homes';
import type { AgentCall } from './agent-call';
import { messageIdOf } from './message-id';
import { pathOf, readNode } from './memory-files';
import type { OpenMemory } from './user-memory';

export interface WriteMemoryDeps {
  readonly homes: Pick<UserHomes, 'read' | 'write'>;
  readonly openMemory: OpenMemory;
  readonly now: () => Date;
}

export interface WriteMemoryWish extends NodeWish {
  /** Of the node to replace, or to make under this id. */
  readonly nodeId?: string | undefined;
}

export interface WrittenNode {
  readonly nodeId: string;
  readonly title: string;
  /** Whether there was none with its id. */
  readonly isNew: boolean;
}

/**
 * Writes a node of the agent's user. Without an id it gets one that is made from the call, so that a
 * repeated call finds what it made, and leaves it as it may be by then.
 */
export function makeWriteMemory({ homes, openMemory, now }: WriteMemoryDeps) {
  return async (call: AgentCall, { nodeId, ...wish }: WriteMemoryWish): Promise<WrittenNode> => {
    checkNodeWish(wish, nodeId);
    const { userId } = call.agent;
    const id = nodeId ?? newIdOf(call, wish);
    return openMemory(userId, async ({ graph, bytesWithout }) => {
      const lastKnownAt = graph.find(id)?.updatedAt ?? now();
      const before = await readNode(homes, userId, id, lastKnownAt);
      if (before && nodeId === undefined) return { nodeId: id, title: before.title, isNew: true };
      const node = changeMemory(graph, { id, before }, wish, now());
      const file = Buffer.from(renderNode(node), 'utf8');
      checkRoom(file.length, bytesWithout(id));
      await homes.write(userId, pathOf(id), file);
      return { nodeId: id, title: node.title, isNew: !before };
    });
  };
}

function newIdOf({ agent, requestId }: AgentCall, wish: NodeWish): string {
  const { title, description = '', content, parents = [] } = wish;
  const said = JSON.stringify([title, description, content, parents]);
  return messageIdOf('memory-node', agent.userId, agent.id, requestId, said);
}
