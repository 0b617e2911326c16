import { z } from 'zod';
import type { Agent } from '../../agents';
import type { FoundTools } from '../domain/offer-tools';
import { truncateForJson } from '../../shared/text/truncate-for-json';
import type { SkillCatalog } from '../../skills';
import type { ShowTopology } from '../ports/topology';
import { labelled } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { anyAgent, delegated, everyone } from '../registry/tool-access';

export interface LookupToolsDeps {
  readonly skills: Pick<SkillCatalog, 'read'>;
  readonly showTopology: ShowTopology;
  /** Finds an agent's tools by words in their names and descriptions. */
  readonly searchTools: (agent: Agent, query: string) => Promise<FoundTools>;
}

// Less than a tool result can hold, because the registry would truncate longer text at a point from which reading
// cannot resume.
const maxCharacters = 7_500;

/** The tools with which an agent finds out how to do something and what it can reach. */
export function lookupTools({ skills, showTopology, searchTools }: LookupToolsDeps): Tool[] {
  return [skillReadTool(skills), topologyTool(showTopology), toolSearchTool(searchTools)];
}

function skillReadTool(skills: Pick<SkillCatalog, 'read'>): Tool {
  return defineTool({
    name: 'skill_read',
    description:
      'Returns one of your skills: instructions to read before a certain kind of task. A long one comes in ' +
      'parts: pass nextOffset as offset to continue.',
    schema: {
      name: z.string().describe('Its name in your list of skills, e.g. daycare-subusers'),
      offset: z
        .int()
        .min(0)
        .optional()
        .describe('The character to start reading at; defaults to 0'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ name, offset = 0 }, { agent }) {
      const whole = await skills.read(agent, name);
      const text = truncateForJson(whole.slice(offset), maxCharacters);
      const nextOffset = offset + text.length;
      return { name, text, ...(nextOffset < whole.length ? { nextOffset } : {}) };
    },
  });
}

function topologyTool(showTopology: ShowTopology): Tool {
  return defineTool({
    name: 'topology',
    description:
      'Returns your nametag and everything you can see and reach, as text: agents, schedules, channels, ' +
      'subusers, friends with their shares, and friend requests. Use it to find ids and nametags. Entries that ' +
      'do not fit are only counted.',
    schema: {
      includeDead: z.boolean().optional().describe('True to include dead agents'),
    },
    isVisibleTo: everyone,
    authorise: delegated,
    async execute({ includeDead = false }, context) {
      const text = await showTopology(context, includeDead);
      return labelled({ text }, incomingSharePattern.test(text) ? { provenance: 'guest' } : {});
    },
  });
}

function toolSearchTool(searchTools: LookupToolsDeps['searchTools']): Tool {
  return defineTool({
    name: 'tool_search',
    description:
      'Finds further tools and makes them available from your next response on. Use it when you lack a tool for ' +
      'friends, schedules, subusers, signals, channels or HTTP endpoints. Returns names and descriptions. ' +
      'Example: {"query": "channel message"}.',
    schema: { query: z.string().describe('A few words about what you want to do') },
    isVisibleTo: everyone,
    authorise: anyAgent,
    execute: async ({ query }, { agent }) => searchTools(agent, query),
  });
}

/**
 * Matches the line for a subuser that a friend shares and has named. Names cannot contain line breaks, so none can fake
 * or hide such a line.
 */
const incomingSharePattern = /^ +<- shared in: /m;
