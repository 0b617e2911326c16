import type { ForgetUser, GoneUserStore, KeepsOfUsers } from '@daycare/service-kit';
import type { AgentStore } from '../store/agent-store';

export interface ForgetDeps {
  readonly agents: AgentStore;
  readonly goneUsers: GoneUserStore;
  readonly keepers: readonly KeepsOfUsers[];
  readonly now: () => Date;
}

/** A user is gone: its agents are dead from now on, and what they had is removed. */
export function makeForgetUser({ agents, goneUsers, keepers, now }: ForgetDeps): ForgetUser {
  return async (userId) => {
    await goneUsers.add(userId, now());
    await agents.killOfUser(userId, now());
    await Promise.all(keepers.map((keeper) => keeper.deleteOfUser(userId)));
  };
}
