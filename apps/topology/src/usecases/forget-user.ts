import { attemptEach } from '@daycare/service-kit';
import type { GoneUserStore } from '../store/gone-user-store';

/** A collection that keeps things of users. */
export interface KeepsOfUsers {
  deleteOfUser(userId: string): Promise<unknown>;
}

export interface ForgetDeps {
  readonly goneUsers: GoneUserStore;
  readonly keepers: readonly KeepsOfUsers[];
  readonly now: () => Date;
}

/** A user is gone, and so is how its agents were wired. May be cut off and called again at any time. */
export type ForgetUser = (userId: string) => Promise<void>;

export function makeForgetUser({ goneUsers, keepers, now }: ForgetDeps): ForgetUser {
  return async (userId) => {
    await goneUsers.add(userId, now());
    await Promise.all(keepers.map((keeper) => keeper.deleteOfUser(userId)));
  };
}

const sweptAgainForMs = 15 * 60 * 1000;

/** Removes once more what calls that were under way at the deletion may have left behind. */
export function makeSweepGoneUsers(
  { goneUsers, now }: Pick<ForgetDeps, 'goneUsers' | 'now'>,
  forgetUser: ForgetUser,
) {
  return async (): Promise<void> => {
    const since = new Date(now().getTime() - sweptAgainForMs);
    await attemptEach(await goneUsers.listSince(since), forgetUser);
  };
}
