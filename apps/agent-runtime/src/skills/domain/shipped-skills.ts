import friendship from '../../../skills/daycare-friendship.md';
import subusers from '../../../skills/daycare-subusers.md';
import { isTopLevel, type Agent } from '../../agents';

export interface ShippedSkill {
  readonly name: string;
  readonly file: string;
  /** Whether the agent can list and read the skill; for other agents it does not exist. */
  readonly isVisibleTo: (agent: Agent) => boolean;
}

/** The skills that come with Daycare, as opposed to those that users write. */
export const shippedSkills: readonly ShippedSkill[] = [
  { name: 'daycare-friendship', file: friendship, isVisibleTo: isTopLevel },
  { name: 'daycare-subusers', file: subusers, isVisibleTo: () => true },
];
