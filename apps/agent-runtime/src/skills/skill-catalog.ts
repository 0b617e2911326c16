import { notFound } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import { shippedSkills } from './shipped-skills';
import { readSkillText } from './skill-text';
import type { UserSkills } from './user-skills';

export interface SkillEntry {
  readonly name: string;
  readonly description: string;
}

/**
 * What an agent can read up on: the skills that come with Daycare, then those of its own user. A user's
 * skill never takes the name of one that comes with Daycare.
 */
export interface SkillCatalog {
  list(agent: Agent): Promise<readonly SkillEntry[]>;
  /** The text of a skill; NOT_FOUND when the agent has none of that name. */
  read(agent: Agent, name: string): Promise<string>;
}

const isShipped = (name: string): boolean => shippedSkills.some((skill) => skill.name === name);

export function makeSkillCatalog(userSkills: UserSkills): SkillCatalog {
  return {
    async list(agent) {
      const shipped = shippedSkills.filter(({ isVisibleTo }) => isVisibleTo(agent));
      const own = await userSkills.list(agent.userId);
      return [...shipped, ...own.filter(({ name }) => !isShipped(name))].map(({ name, file }) => ({
        name,
        description: readSkillText(file).description,
      }));
    },
    async read(agent, name) {
      const shipped = shippedSkills.find((skill) => skill.name === name);
      const file = shipped
        ? shipped.isVisibleTo(agent) && shipped.file
        : await userSkills.read(agent.userId, name);
      if (typeof file !== 'string') throw notFound('skill');
      return readSkillText(file).body;
    },
  };
}
