export type { ReviewSkills } from './usecases/review-skills';
export type { SkillCatalog, SkillEntry } from './usecases/skill-catalog';
