import { AppError } from '@daycare/errors';
import type { Agent } from '../domain/agent';

export const everyone = (): boolean => true;

/** Agents of a top-level user, not of a subuser. */
export const ofOwners = ({ ownerUserId }: Agent): boolean => ownerUserId === undefined;

/** Whoever can call the tool may: it touches nothing but what is the agent's own. */
export const anyAgent = (): void => undefined;

/** The service behind the tool is asked as the agent's user and refuses by itself. */
export const asTheServiceSays = (): void => undefined;

export function ownersOnly(agent: Agent): void {
  if (!ofOwners(agent))
    throw new AppError('PERMISSION_DENIED', 'Agents of a subuser may not use this tool');
}
