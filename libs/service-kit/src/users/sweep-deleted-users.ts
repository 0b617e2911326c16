import { attemptEach } from '../usecases/attempt-each';
import type { DeletedUserStore } from './deleted-user-store';

/** A store that contains users' data. */
export interface UserDataStore {
  deleteByUser(userId: string): Promise<unknown>;
}

/** Removes all of a user's data from a service. May be interrupted and called again at any time. */
export type ForgetUser = (userId: string) => Promise<void>;

const sweepWindowMs = 15 * 60 * 1000;

/**
 * Returns a usecase for users deleted in the last 15 minutes: it removes what calls and turns that were running during
 * the deletion have left behind.
 */
export function makeSweepDeletedUsers(
  { deletedUsers, now }: { readonly deletedUsers: DeletedUserStore; readonly now: () => Date },
  forgetUser: ForgetUser,
) {
  return async (): Promise<void> => {
    const since = new Date(now().getTime() - sweepWindowMs);
    await attemptEach(await deletedUsers.listSince(since), forgetUser);
  };
}
