import type { ForgetUser, DeletedUserStore, UserDataStore } from '@daycare/service-kit';

export interface ForgetDeps {
  readonly deletedUsers: DeletedUserStore;
  readonly userDataStores: readonly UserDataStore[];
  readonly now: () => Date;
}

/** Deletes everything that is stored about a deleted user. */
export function makeForgetUser({ deletedUsers, userDataStores, now }: ForgetDeps): ForgetUser {
  return async (userId) => {
    await deletedUsers.add(userId, now());
    await Promise.all(userDataStores.map((store) => store.deleteByUser(userId)));
  };
}
