import { AppError, notFound, type Trust } from '@daycare/api';
import type { Agent } from '../../agents';
import { shippedSkills } from '../domain/shipped-skills';
import { readSkillText } from '../domain/skill-text';
import type { UserSkill, UserSkills } from './user-skills';

export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  /** The trust of its text; absent for a skill that comes with Daycare. */
  readonly writtenBy?: Trust;
}

/**
 * The skills that an agent can read: first those that come with Daycare, then its user's own. A user's skill never
 * replaces a shipped one with the same name. A user's skill with foreign text is in quarantine, i.e. neither listed nor
 * readable, until the person has approved it.
 */
export interface SkillCatalog {
  list(agent: Agent): Promise<readonly SkillEntry[]>;
  /**
   * Returns a skill's text. Throws NOT_FOUND if the agent has no such skill, FAILED_PRECONDITION if the skill is in
   * quarantine.
   */
  read(agent: Agent, name: string): Promise<string>;
}

const shippedEntries = shippedSkills.map(({ name, file, isVisibleTo }) => ({
  entry: { name, ...describe(file) },
  isVisibleTo,
}));
const isShipped = (name: string): boolean => shippedSkills.some((skill) => skill.name === name);

export function makeSkillCatalog(userSkills: UserSkills): SkillCatalog {
  return {
    async list(agent) {
      const shipped = shippedEntries.filter(({ isVisibleTo }) => isVisibleTo(agent));
      const own = await userSkills.list(agent.userId);
      const usable = own.filter(({ name, isUsable }) => isUsable && !isShipped(name));
      return [
        ...shipped.map(({ entry }) => entry),
        ...usable.map(({ name, file, writtenBy = 'own' }) => ({
          name,
          ...describe(file),
          writtenBy,
        })),
      ];
    },
    async read(agent, name) {
      const shipped = shippedSkills.find((skill) => skill.name === name);
      const file = shipped
        ? shipped.isVisibleTo(agent) && shipped.file
        : (await readUsable(userSkills, agent, name))?.file;
      if (typeof file !== 'string') throw notFound('skill');
      return readSkillText(file).body;
    },
  };
}

function describe(file: string): Pick<SkillEntry, 'description'> {
  return { description: readSkillText(file).description };
}

async function readUsable(
  userSkills: UserSkills,
  { userId }: Agent,
  name: string,
): Promise<UserSkill | undefined> {
  const skill = await userSkills.read(userId, name);
  if (!skill || skill.isUsable) return skill;
  throw new AppError(
    'FAILED_PRECONDITION',
    `The skill ${name} contains text that someone other than your user wrote; it cannot be used until the user approves it`,
  );
}
