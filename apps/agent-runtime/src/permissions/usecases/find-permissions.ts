import type { Agent } from '../../agents';
import { covers, type CoverableTurn } from '../domain/grant';
import type { GrantStore } from '../store/grant-store';

export interface FindPermissionsDeps {
  readonly grants: Pick<GrantStore, 'listForSubject' | 'permissionsOf'>;
  readonly now: () => Date;
}

/** Finds the permissions that are currently granted. */
export function makeFindPermissions({ grants, now }: FindPermissionsDeps) {
  return {
    /** Reports whether one of the agent's grants covers this turn. */
    hasPermission: async (
      agent: Pick<Agent, 'id' | 'userId'>,
      permission: string,
      turn: CoverableTurn,
    ): Promise<boolean> => {
      const found = await grants.listForSubject(agent, { kind: 'permission', permission }, now());
      return found.some((grant) => covers(grant, turn, now()));
    },
    /** Returns the permissions by agent; agents without permissions are omitted. */
    permissionsOf: (agentIds: readonly string[]) => grants.permissionsOf(agentIds, now()),
  };
}
