import { attemptEach } from './attempt-each';
import type { GoneUserStore } from './gone-user-store';

/** A place that keeps things of users. */
export interface KeepsOfUsers {
  deleteOfUser(userId: string): Promise<unknown>;
}

/** Removes all that a service has of a user. May be cut off and called again at any time. */
export type ForgetUser = (userId: string) => Promise<void>;

const sweptAgainForMs = 15 * 60 * 1000;

/** Removes once more what calls and turns that were under way at a deletion may have left behind. */
export function makeSweepGoneUsers(
  { goneUsers, now }: { readonly goneUsers: GoneUserStore; readonly now: () => Date },
  forgetUser: ForgetUser,
) {
  return async (): Promise<void> => {
    const since = new Date(now().getTime() - sweptAgainForMs);
    await attemptEach(await goneUsers.listSince(since), forgetUser);
  };
}
