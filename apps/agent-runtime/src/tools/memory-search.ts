import { z } from 'zod';
import { excerptOf } from '../domain/excerpt';
import { fitCharacters } from '../domain/fit-characters';
import type { FoundNode, makeSearchMemory } from '../usecases/search-memory';
import { surroundingsOf } from './memory-results';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

const mostCharacters = 7_000;
const mostCharactersEach = 250;
const mostNodes = 20;
const usualNodes = 8;

export function makeMemorySearchTool(deps: {
  readonly searchMemory: ReturnType<typeof makeSearchMemory>;
}): Tool {
  return defineTool({
    name: 'memory_search',
    description:
      'Looks in the memory of your user for nodes with some of these words, best first, and for nodes linked ' +
      'with them. Read the ones that matter with memory_read.',
    schema: {
      query: z.string().describe('A few words'),
      limit: z
        .int()
        .min(1)
        .max(mostNodes)
        .optional()
        .describe(`How many nodes to show; ${usualNodes} when left out`),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ query, limit = usualNodes }, context) {
      const { found, count } = await deps.searchMemory(context, query, limit);
      const nodes = fitCharacters(found.map(resultOf), mostCharacters);
      return { summary: summaryOf(nodes.length, count), count, nodes };
    },
  });
}

function resultOf({ node, words, ...view }: FoundNode) {
  const { id, title, description, text } = node;
  const { parents, links, backlinks } = view;
  return {
    nodeId: id,
    title,
    description,
    excerpt: excerptOf(text, words),
    ...(words.length === 0 ? { foundBy: 'link' } : {}),
    ...surroundingsOf({ parents, links, backlinks }, mostCharactersEach),
  };
}

function summaryOf(shown: number, count: number): string {
  if (count === 0) return 'Nothing is remembered about that';
  return shown < count ? `The best ${shown} of ${count} nodes` : `${count} nodes, best first`;
}
