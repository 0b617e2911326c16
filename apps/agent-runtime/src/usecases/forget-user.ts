import { attemptEach } from '@daycare/service-kit';
import type { AgentStore } from '../store/agent-store';
import type { GoneUserStore } from '../store/gone-user-store';

/** A collection that keeps things of users. */
export interface KeepsOfUsers {
  deleteOfUser(userId: string): Promise<unknown>;
}

export interface ForgetDeps {
  readonly agents: AgentStore;
  readonly goneUsers: GoneUserStore;
  readonly keepers: readonly KeepsOfUsers[];
  readonly now: () => Date;
}

/**
 * A user is gone: its agents are dead from now on, and what they had is removed. May be cut off and
 * called again at any time.
 */
export type ForgetUser = (userId: string) => Promise<void>;

export function makeForgetUser({ agents, goneUsers, keepers, now }: ForgetDeps): ForgetUser {
  return async (userId) => {
    await goneUsers.add(userId, now());
    await agents.killOfUser(userId, now());
    await Promise.all(keepers.map((keeper) => keeper.deleteOfUser(userId)));
  };
}

const sweptAgainForMs = 15 * 60 * 1000;

/** Removes once more what turns and calls that were under way at the deletion may have left behind. */
export function makeSweepGoneUsers(
  { goneUsers, now }: Pick<ForgetDeps, 'goneUsers' | 'now'>,
  forgetUser: ForgetUser,
) {
  return async (): Promise<void> => {
    const since = new Date(now().getTime() - sweptAgainForMs);
    await attemptEach(await goneUsers.listSince(since), forgetUser);
  };
}
