import { AppError } from '@daycare/api';
import { isTopLevel, type Agent } from '../../agents';

/** Visible to every agent. */
export const everyone = (): boolean => true;

/** Visible only to agents of top-level users, not to agents of subusers. */
export const topLevelOnly = isTopLevel;

/** Every agent may call the tool: it accesses only data of the agent's own user, or its usecase checks the access. */
export const anyAgent = (): void => undefined;

/** The service behind the tool authorises the call, which is made as the agent's user. */
export const delegated = (): void => undefined;

export function requireTopLevel(agent: Agent): void {
  if (!isTopLevel(agent))
    throw new AppError('PERMISSION_DENIED', 'Agents of a subuser may not use this tool');
}
