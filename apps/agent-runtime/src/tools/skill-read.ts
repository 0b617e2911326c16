import { z } from 'zod';
import { cutText } from '../domain/cut-text';
import type { SkillCatalog } from '../skills/skill-catalog';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

// So that a result is never cut off at a place that nobody can go on from.
const mostCharacters = 7_500;

export function makeSkillReadTool({ skills }: { readonly skills: SkillCatalog }): Tool {
  return defineTool({
    name: 'skill_read',
    description:
      'Reads one of your skills: how to go about a kind of task. A long one comes in parts; nextOffset is ' +
      'where the next begins.',
    schema: {
      name: z.string().describe('As your list of skills has it'),
      offset: z.int().min(0).optional().describe('Where to go on reading; 0 is the beginning'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ name, offset = 0 }, { agent }) {
      const whole = await skills.read(agent, name);
      const text = cutText(whole.slice(offset), mostCharacters);
      const nextOffset = offset + text.length;
      return { name, text, ...(nextOffset < whole.length ? { nextOffset } : {}) };
    },
  });
}
