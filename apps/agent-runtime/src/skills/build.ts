import type { Directory } from '../agents';
import { makeSkillCatalog } from './skill-catalog';
import { makeReviewSkills } from './usecases/review-skills';
import { makeUserSkills, type SkillHomes } from './user-skills';

export interface SkillsDeps {
  /** Undefined where users have no directories and therefore no skills. */
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
