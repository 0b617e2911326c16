import { z } from 'zod';
import {
  memoryLimits,
  rootId,
  type FoundNode,
  type ListedNode,
  type Memory,
  type MemoryNode,
} from '../../memory';
import { truncateForJson } from '../../shared/text/truncate-for-json';
import { excerptOf } from '../../shared/text/excerpt';
import { fitCharacters } from '../../shared/text/fit-characters';
import { summaryOf } from '../../shared/text/list-summary';
import { pageOf } from '../../shared/text/page-of';
import { pageOffset } from '../domain/page-offset';
import { neighboursOf } from '../domain/memory-neighbours';
import type { ToolLedger } from '../ports/ledger';
import {
  deleteMemoryOnce,
  writeMemoryOnce,
  type ChangeMemoryDeps,
} from '../usecases/change-memory-once';
import { labelled } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { anyAgent, everyone } from '../registry/tool-access';

export interface MemoryToolsDeps {
  /** Undefined if users have no directories, e.g. because DAYCARE_USERS_DIR is not set. */
  readonly memory: Memory | undefined;
  readonly ledger: ToolLedger;
}

// With these limits, part of a node's text and the node's four lists of neighbours together fit into a tool result.
const maxTextCharacters = 3_500;
const maxNeighbourCharacters = 700;

const maxSearchCharacters = 7_000;
const maxNeighbourCharactersPerHit = 250;
const maxHits = 20;
const defaultHits = 8;

const access = { isVisibleTo: everyone, authorise: anyAgent };

/** The tools for the memory shared by a user's agents; none if `memory` is undefined. */
export function memoryTools({ memory, ledger }: MemoryToolsDeps): Tool[] {
  if (!memory) return [];
  return [
    deleteTool({ memory, ledger }),
    listTool(memory),
    readTool(memory),
    searchTool(memory),
    writeTool({ memory, ledger }),
  ];
}

function deleteTool(deps: ChangeMemoryDeps): Tool {
  return defineTool({
    name: 'memory_delete',
    keepsOwnRecord: true,
    description:
      'Deletes a memory node permanently, e.g. because the user wants it forgotten, but keeps the nodes below ' +
      'it. Returns deleted: false if there was no such node.',
    schema: {
      nodeId: z.string().describe('As shown by memory_search or memory_list'),
    },
    ...access,
    async execute({ nodeId }, context) {
      const deleted = await deleteMemoryOnce(deps, context, nodeId);
      const summary = deleted ? `Deleted ${nodeId}` : `There is no memory node ${nodeId}`;
      return { summary, nodeId, deleted };
    },
  });
}

function listTool({ listMemory, authorOfNodes }: Memory): Tool {
  return defineTool({
    name: 'memory_list',
    description:
      'Lists the memory nodes directly below a node, sorted by title, one per line: id, title, number of nodes ' +
      'below it and description.',
    schema: {
      parent: z.string().optional().describe(`The id of a node; defaults to ${rootId}`),
      offset: pageOffset,
    },
    ...access,
    async execute({ parent = rootId, offset }, context) {
      const nodes = await listMemory(context, parent);
      const shown =
        offset === undefined
          ? { summary: summaryOf(nodes.map(lineOf), 'There are no memories here') }
          : pageOf(nodes.map(entryOf), offset);
      const provenance = await authorOfNodes(
        context,
        nodes.map(({ node }) => node),
      );
      return labelled({ ...shown, count: nodes.length }, { provenance });
    },
  });
}

function readTool({ readMemory, authorOfNodes }: Memory): Tool {
  return defineTool({
    name: 'memory_read',
    description:
      `Returns a memory node’s text, parents, children, links and backlinks; ${rootId} returns the top level. Long text ` +
      'comes in parts: pass nextOffset as offset to continue.',
    schema: {
      nodeId: z.string().describe(`As shown by memory_search or memory_list, or ${rootId}`),
      offset: z
        .int()
        .min(0)
        .optional()
        .describe('The character to start reading at; defaults to 0'),
    },
    ...access,
    async execute({ nodeId, offset = 0 }, context) {
      const { node, ...neighbours } = await readMemory(context, nodeId);
      const shown = node ? partOf(node, offset) : { title: 'The top level of the memory' };
      const shownNeighbours = neighboursOf(neighbours, maxNeighbourCharacters);
      const readNodes = [...(node ? [node] : []), ...Object.values(neighbours).flat()];
      const provenance = await authorOfNodes(context, readNodes);
      return labelled({ nodeId, ...shown, ...shownNeighbours }, { provenance });
    },
  });
}

function searchTool({ searchMemory, authorOfNodes }: Memory): Tool {
  return defineTool({
    name: 'memory_search',
    description:
      'Searches your user’s memory for nodes that contain any of the words, and for nodes linked to them. Use it ' +
      'before asking the user for something that may already be stored. Returns excerpts, best match first; read the ' +
      'nodes that matter with memory_read.',
    schema: {
      query: z.string().describe('A few words'),
      limit: z
        .int()
        .min(1)
        .max(maxHits)
        .optional()
        .describe(`The maximum number of nodes to return; defaults to ${defaultHits}`),
    },
    ...access,
    async execute({ query, limit = defaultHits }, context) {
      const { found, count } = await searchMemory(context, query, limit);
      const nodes = fitCharacters(found.map(foundView), maxSearchCharacters);
      const readNodes = found.flatMap(({ node, parents, links, backlinks }) => [
        ...[node, ...parents, ...links, ...backlinks],
      ]);
      const provenance = await authorOfNodes(context, readNodes);
      return labelled({ summary: foundSummary(nodes.length, count), count, nodes }, { provenance });
    },
  });
}

function writeTool(deps: ChangeMemoryDeps): Tool {
  return defineTool({
    name: 'memory_write',
    keepsOwnRecord: true,
    description:
      'Stores something in the memory shared by all of your user’s agents; write one node per subject. With the ' +
      'nodeId of an existing node, it replaces that node, so read it first. Link to other nodes with [[nodeId]] ' +
      'in the content. Returns the nodeId.',
    schema: {
      nodeId: z
        .string()
        .optional()
        .describe('The node to replace, or a meaningful id for a new one, e.g. anna-birthday'),
      title: z.string().describe(`Up to ${memoryLimits.title} characters`),
      description: z
        .string()
        .optional()
        .describe('One line about the subject; omit it to keep the current one'),
      content: z.string().describe(`Markdown, up to ${memoryLimits.text} characters`),
      parents: z
        .array(z.string())
        .optional()
        .describe(
          `The ids of the nodes it belongs under; ${rootId} is the top level. Omit it to keep the current ones`,
        ),
    },
    ...access,
    async execute(request, context) {
      const { nodeId, title, isNew } = await writeMemoryOnce(deps, context, request);
      const summary = `${isNew ? 'Remembered' : 'Replaced'} ${nodeId} ${JSON.stringify(title)}`;
      return { summary, nodeId, isNew };
    },
  });
}

function lineOf({ node: { id, title, description }, childCount }: ListedNode): string {
  const below = childCount > 0 ? ` (${childCount} below)` : '';
  return `${id} ${JSON.stringify(title)}${below}${description === '' ? '' : `: ${description}`}`;
}

function entryOf({ node, childCount }: ListedNode) {
  const { id: nodeId, title, description, createdAt, updatedAt } = node;
  return { nodeId, title, description, childCount, createdAt, updatedAt };
}

function partOf(node: MemoryNode, offset: number) {
  const { title, description, createdAt, updatedAt } = node;
  const text = truncateForJson(node.text.slice(offset), maxTextCharacters);
  const nextOffset = offset + text.length;
  const more = nextOffset < node.text.length ? { nextOffset } : {};
  return { title, description, createdAt, updatedAt, text, ...more };
}

function foundView({ node, words, ...view }: FoundNode) {
  const { id, title, description, text } = node;
  const { parents, links, backlinks } = view;
  return {
    nodeId: id,
    title,
    description,
    excerpt: excerptOf(text, words),
    ...(words.length === 0 ? { foundBy: 'link' } : {}),
    ...neighboursOf({ parents, links, backlinks }, maxNeighbourCharactersPerHit),
  };
}

function foundSummary(shown: number, count: number): string {
  if (count === 0) return 'No memories match';
  return shown < count ? `The best ${shown} of ${count} nodes` : `${count} nodes, best first`;
}
