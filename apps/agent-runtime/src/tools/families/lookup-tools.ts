import { z } from 'zod';
import { cutText } from '../../shared/text/cut-text';
import type { SkillCatalog } from '../../skills';
import type { ShowTopology } from '../ports/topology';
import { labelled } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { anyAgent, delegated, everyone } from '../registry/tool-access';

export interface LookupToolsDeps {
  readonly skills: Pick<SkillCatalog, 'read'>;
  readonly showTopology: ShowTopology;
}

// Below the limit of a tool result: the registry would cut a longer one where reading cannot resume.
const maxCharacters = 7_500;

/** The tools by which an agent looks up how to do something and what it can reach. */
export function lookupTools({ skills, showTopology }: LookupToolsDeps): Tool[] {
  return [skillReadTool(skills), topologyTool(showTopology)];
}

function skillReadTool(skills: Pick<SkillCatalog, 'read'>): Tool {
  return defineTool({
    name: 'skill_read',
    description:
      'Reads one of your skills: instructions for a kind of task. A long one comes in parts: pass nextOffset as ' +
      'offset to read on.',
    schema: {
      name: z.string().describe('The name in your list of skills, e.g. daycare-subusers'),
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
      const text = cutText(whole.slice(offset), maxCharacters);
      const nextOffset = offset + text.length;
      return { name, text, ...(nextOffset < whole.length ? { nextOffset } : {}) };
    },
  });
}

function topologyTool(showTopology: ShowTopology): Tool {
  return defineTool({
    name: 'topology',
    description:
      'Shows your nametag and everything you can see and reach, as text: agents, schedules, channels, subusers, ' +
      'friends with their shares, and friend requests. Entries that do not fit are counted.',
    schema: {
      includeDead: z.boolean().optional().describe('True to include dead agents'),
    },
    isVisibleTo: everyone,
    authorise: delegated,
    async execute({ includeDead = false }, context) {
      const text = await showTopology(context, includeDead);
      return labelled({ text }, showsSharesIn.test(text) ? { provenance: 'guest' } : {});
    },
  });
}

/** Friends choose the names of the subusers they share. No name can break out of its line of the text. */
const showsSharesIn = /^ +<- shared in: /m;
