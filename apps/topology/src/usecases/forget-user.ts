import type { ForgetUser, GoneUserStore, KeepsOfUsers } from '@daycare/service-kit';

export interface ForgetDeps {
  readonly goneUsers: GoneUserStore;
  readonly keepers: readonly KeepsOfUsers[];
  readonly now: () => Date;
}

/** A user is gone, and so is how its agents were wired. */
export function makeForgetUser({ goneUsers, keepers, now }: ForgetDeps): ForgetUser {
  return async (userId) => {
    await goneUsers.add(userId, now());
    await Promise.all(keepers.map((keeper) => keeper.deleteOfUser(userId)));
  };
}
