import { z } from 'zod';
import { cutText } from '../domain/cut-text';
import { rootId, type MemoryNode } from '../domain/memory-node';
import type { makeReadMemory } from '../usecases/read-memory';
import { surroundingsOf } from './memory-results';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

// Together with what surrounds it, less than a result may have.
const mostCharacters = 3_500;
const mostCharactersEach = 700;

export function makeMemoryReadTool(deps: {
  readonly readMemory: ReturnType<typeof makeReadMemory>;
}): Tool {
  return defineTool({
    name: 'memory_read',
    description:
      `Reads a node of the memory, with the nodes around it; ${rootId} shows what is at the top. A long text ` +
      'comes in parts; nextOffset is where the next begins.',
    schema: {
      nodeId: z.string().describe(`As memory_search or memory_list shows it, or ${rootId}`),
      offset: z.int().min(0).optional().describe('Where to go on reading; 0 is the beginning'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ nodeId, offset = 0 }, context) {
      const { node, ...around } = await deps.readMemory(context, nodeId);
      const shown = node ? partOf(node, offset) : { title: 'The top of the memory' };
      return { nodeId, ...shown, ...surroundingsOf(around, mostCharactersEach) };
    },
  });
}

function partOf(node: MemoryNode, offset: number) {
  const { title, description, createdAt, updatedAt } = node;
  const text = cutText(node.text.slice(offset), mostCharacters);
  const nextOffset = offset + text.length;
  const rest = nextOffset < node.text.length ? { nextOffset } : {};
  return { title, description, createdAt, updatedAt, text, ...rest };
}
