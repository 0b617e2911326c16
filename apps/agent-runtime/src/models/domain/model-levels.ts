import type { Agent, AgentRole } from '../../agents';
import type { ModelName } from '../catalogue/model-entry';

/** Where a model can be chosen, most specific first. */
export type ModelLevel = 'agent' | 'subuser' | 'user' | 'role' | 'instance';

/** The choice at one level: the model to use, then its fallbacks; empty when nothing was chosen. */
export interface ModelSetting {
  readonly level: ModelLevel;
  readonly models: readonly ModelName[];
}

/** What decides which model an agent uses; the agent may not have been created yet. */
export interface ModelSubject {
  readonly userId: string;
  readonly ownerUserId: string | undefined;
  readonly role: AgentRole;
  /** The agent's own choice; absent when it has none. */
  readonly ownModels?: Agent['models'];
}

/** Returns the keys under which the choices at the levels above an agent are stored, most specific first. */
export function levelKeys({
  userId,
  ownerUserId,
  role,
}: Omit<ModelSubject, 'ownModels'>): readonly (readonly [ModelLevel, string])[] {
  return [
    ...(ownerUserId === undefined ? [] : [['subuser', userKey(userId)] as const]),
    ['user', userKey(ownerUserId ?? userId)],
    ['role', roleKey(role)],
    ['instance', instanceKey],
  ];
}

export const instanceKey = 'instance';

/** The key of the document that holds the providers added by operators; it is stored among the choices. */
export const providersKey = 'providers';

export function roleKey(role: AgentRole): string {
  return `role:${role}`;
}

export function userKey(userId: string): string {
  return `user:${userId}`;
}

/** The most specific level with a choice decides; lists from different levels are never mixed. */
export function decidingSetting(settings: readonly ModelSetting[]): ModelSetting {
  const deciding = settings.find(({ models }) => models.length > 0);
  if (!deciding) throw new Error('the instance has no model');
  return deciding;
}
