import { z } from 'zod';
import { fitCharacters } from '../domain/fit-characters';
import { rootId } from '../domain/memory-node';
import type { ListedNode, makeListMemory } from '../usecases/list-memory';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

const mostCharacters = 7_000;

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
      return { summary: summaryOf(nodes.map(lineOf)), count: nodes.length };
    },
  });
}

function lineOf({ node: { id, title, description }, childCount }: ListedNode): string {
  const below = childCount > 0 ? ` (${childCount} below)` : '';
  return `${id} ${JSON.stringify(title)}${below}${description === '' ? '' : `: ${description}`}`;
}

function summaryOf(lines: readonly string[]): string {
  if (lines.length === 0) return 'Nothing is remembered here';
  const shown = fitCharacters(lines, mostCharacters);
  const leftOut = lines.length - shown.length;
  return [...shown, ...(leftOut > 0 ? [`… and ${leftOut} more`] : [])].join('\n');
}
