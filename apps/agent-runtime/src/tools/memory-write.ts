import { z } from 'zod';
import { memoryLimits, rootId } from '../domain/memory-node';
import type { makeWriteMemory } from '../usecases/write-memory';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeMemoryWriteTool(deps: {
  readonly writeMemory: ReturnType<typeof makeWriteMemory>;
}): Tool {
  return defineTool({
    name: 'memory_write',
    description:
      'Remembers something for all agents of your user, now and later: one node per subject. With the nodeId ' +
      'of a node it replaces that node, so read it first. Link to other nodes with [[nodeId]] in the content.',
    schema: {
      nodeId: z
        .string()
        .optional()
        .describe('The node to replace, or a telling id for a new one, like anna-birthday'),
      title: z.string().describe(`Up to ${memoryLimits.title} characters`),
      description: z
        .string()
        .optional()
        .describe('What it is about, in one line; left out, it stays as it is'),
      content: z.string().describe(`Markdown, up to ${memoryLimits.text} characters`),
      parents: z
        .array(z.string())
        .optional()
        .describe(
          `The nodes it belongs under; ${rootId} is the top. Left out, they stay as they are`,
        ),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute(wish, context) {
      const { nodeId, title, isNew } = await deps.writeMemory(context, wish);
      const summary = `${isNew ? 'Remembered' : 'Replaced'} ${nodeId} ${JSON.stringify(title)}`;
      return { summary, nodeId, isNew };
    },
  });
}
