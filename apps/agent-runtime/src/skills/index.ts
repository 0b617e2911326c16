export type { ReviewSkills } from './usecases/review-skills';
export type { SkillCatalog, SkillEntry } from './skill-catalog';
