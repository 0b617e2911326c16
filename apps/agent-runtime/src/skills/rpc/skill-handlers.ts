import type { AgentRuntimeServiceService, Skill } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { ReviewedSkill, ReviewSkills } from '../usecases/review-skills';

/** The RPCs with which a person reviews skills. */
export function skillHandlers(usecases: ReviewSkills): Handlers<typeof AgentRuntimeServiceService> {
  return {
    listSkills: async (request, { caller }) => {
      const call = { ...request, callerUserId: requireUser(caller).userId };
      return { skills: (await usecases.listSkills(call)).map(toSkill) };
    },
    getSkill: async (request, { caller }) => {
      const skill = await usecases.getSkill({
        ...request,
        callerUserId: requireUser(caller).userId,
      });
      return { skill: toSkill(skill), text: skill.file };
    },
    approveSkill: async (request, { caller }) => {
      const call = { ...request, callerUserId: requireUser(caller).userId };
      return { skill: toSkill(await usecases.approveSkill(call)) };
    },
  };
}

function toSkill({ name, description, sha256, writtenBy, isUsable }: ReviewedSkill): Skill {
  const author = writtenBy ? { writtenBy: enumOf(Trust, writtenBy) } : {};
  return { name, description, sha256, ...author, inQuarantine: !isUsable };
}
