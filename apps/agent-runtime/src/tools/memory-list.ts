import { z } from 'zod';
import { summaryOf } from '../domain/list-summary';
import { rootId } from '../domain/memory-node';
import type { ListedNode, makeListMemory } from '../usecases/list-memory';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeMemoryListTool(deps: {
  readonly listMemory: ReturnType<typeof makeListMemory>;
}): Tool {
  return defineTool({
    name: 'memory_list',
    description:
      'Shows the nodes of the memory directly below one, by title, one per line: id, title, how many are below ' +
      'it and what it is about.',
    schema: {
      parent: z.string().optional().describe(`The id of a node; ${rootId} when left out`),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ parent = rootId }, context) {
      const nodes = await deps.listMemory(context, parent);
      const summary = summaryOf(nodes.map(lineOf), 'Nothing is remembered here');
      return { summary, count: nodes.length };
    },
  });
}

function lineOf({ node: { id, title, description }, childCount }: ListedNode): string {
  const below = childCount > 0 ? ` (${childCount} below)` : '';
  return `${id} ${JSON.stringify(title)}${below}${description === '' ? '' : `: ${description}`}`;
}
