import type { ForgetUser, DeletedUserStore, UserDataStore } from '@daycare/service-kit';
import type { AgentStore } from '../store/agent-store';

export interface ForgetUserDeps {
  readonly agents: AgentStore;
  readonly deletedUsers: DeletedUserStore;
  readonly userDataStores: () => readonly UserDataStore[];
  readonly now: () => Date;
}

/** Records that a user is deleted, marks its agents as dead and deletes what each store contains about the user. */
export function makeForgetUser({
  agents,
  deletedUsers,
  userDataStores,
  now,
}: ForgetUserDeps): ForgetUser {
  return async (userId) => {
    await deletedUsers.add(userId, now());
    await agents.killByUser(userId, now());
    await Promise.all(userDataStores().map((store) => store.deleteByUser(userId)));
  };
}
