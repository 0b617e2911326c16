import { AppError, FieldChecks, notFound } from '@daycare/api';
import type { Directory } from '../../agents';
import { readSkillText } from '../domain/skill-text';
import { isSkillName, type UserSkill, type UserSkills } from './user-skills';

export interface ReviewSkillsDeps {
  readonly userSkills: UserSkills;
  readonly directory: Directory;
}

/** A call that concerns the skills of the caller or of one of its subusers. */
export interface SkillCall {
  readonly callerUserId: string;
  /** Empty for the caller's own skills. */
  readonly userId: string;
}

export interface ReviewedSkill extends UserSkill {
  readonly description: string;
}

/** Lets a person review the skills of their agents, and approve those in quarantine. */
export function makeReviewSkills({ userSkills, directory }: ReviewSkillsDeps) {
  const userIdOf = async ({ callerUserId, userId }: SkillCall): Promise<string> => {
    if (userId === '' || userId === callerUserId) return callerUserId;
    const user = await directory.findById(userId);
    if (user?.parentUserId !== callerUserId) throw notFound('user');
    return userId;
  };
  return {
    async listSkills(call: SkillCall): Promise<readonly ReviewedSkill[]> {
      check(call).done();
      return (await userSkills.list(await userIdOf(call))).map(describe);
    },
    async getSkill(call: SkillCall & { readonly name: string }): Promise<ReviewedSkill> {
      checkName(check(call), call.name).done();
      const skill = await userSkills.read(await userIdOf(call), call.name);
      if (!skill) throw notFound('skill');
      return describe(skill);
    },
    /** Approves a skill; throws unless its file still contains the text that the person has seen. */
    async approveSkill(
      call: SkillCall & {
        readonly requestId: string;
        readonly name: string;
        readonly sha256: string;
      },
    ): Promise<ReviewedSkill> {
      const { requestId, name, sha256 } = call;
      checkName(check(call).requestId(requestId), name)
        .require(
          /^[0-9a-f]{64}$/.test(sha256),
          'sha256',
          'must be 64 lower-case hexadecimal digits',
        )
        .done();
      const userId = await userIdOf(call);
      await userSkills.approve(userId, name, sha256);
      const skill = await userSkills.read(userId, name);
      if (!skill) throw notFound('skill');
      requireSeen(skill, sha256);
      return describe(skill);
    },
  };
}

export type ReviewSkills = ReturnType<typeof makeReviewSkills>;

function check({ userId }: SkillCall): FieldChecks {
  const checks = new FieldChecks();
  return userId === '' ? checks : checks.id(userId, 'user_id');
}

function checkName(checks: FieldChecks, name: string): FieldChecks {
  return checks.require(
    isSkillName(name),
    'name',
    'must be 1 to 64 characters of a-z, 0-9 and -, starting with a letter or digit',
  );
}

function requireSeen(skill: UserSkill, sha256: string): void {
  if (skill.sha256 === sha256) return;
  throw new AppError('FAILED_PRECONDITION', 'The text of the skill has changed; read it again');
}

function describe(skill: UserSkill): ReviewedSkill {
  return { ...skill, description: readSkillText(skill.file).description };
}
