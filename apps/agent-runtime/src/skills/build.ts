import type { Directory } from '../agents';
import { makeSkillCatalog } from './usecases/skill-catalog';
import { makeReviewSkills } from './usecases/review-skills';
import { makeUserSkills, type SkillHomes } from './usecases/user-skills';

export interface SkillsDeps {
  /** Undefined if users have no directories (e.g. DAYCARE_USERS_DIR is not set) and so no skills of their own. */
  readonly homes: SkillHomes | undefined;
  readonly directory: Directory;
}

/** Builds the catalog of skills that agents can read, and the review of skills by people. */
export function buildSkills({ homes, directory }: SkillsDeps) {
  const userSkills = makeUserSkills(homes);
  return {
    catalog: makeSkillCatalog(userSkills),
    review: makeReviewSkills({ userSkills, directory }),
  };
}
