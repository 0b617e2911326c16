import friendship from '../../skills/daycare-friendship.md';
import subusers from '../../skills/daycare-subusers.md';
import type { Agent } from '../domain/agent';
import { everyone, ofOwners } from '../tools/who-may';

export interface ShippedSkill {
  readonly name: string;
  readonly file: string;
  /** Whose agents know of it; to all others it does not exist. */
  readonly isVisibleTo: (agent: Agent) => boolean;
}

/** The skills that come with Daycare. */
export const shippedSkills: readonly ShippedSkill[] = [
  { name: 'daycare-friendship', file: friendship, isVisibleTo: ofOwners },
  { name: 'daycare-subusers', file: subusers, isVisibleTo: everyone },
];
