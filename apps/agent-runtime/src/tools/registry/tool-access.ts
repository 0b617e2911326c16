import { AppError } from '@daycare/api';
import { isTopLevel, type Agent } from '../../agents';

/** Visible to every agent. */
export const everyone = (): boolean => true;

/** Visible to agents of top-level users only, not to those of subusers. */
export const topLevelOnly = isTopLevel;

/** Every agent may call the tool: it only touches data of the agent's own user, or its use case checks the rest. */
export const anyAgent = (): void => undefined;

/** The service behind the tool authorises the call, which is made as the agent's user. */
export const delegated = (): void => undefined;

export function requireTopLevel(agent: Agent): void {
  if (!isTopLevel(agent))
    throw new AppError('PERMISSION_DENIED', 'Agents of a subuser may not use this tool');
}
