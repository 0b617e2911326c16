import { FieldChecks } from '@daycare/api';
import { batchLimits, type User } from '../domain/user';
import type { UserStore } from '../store/user-store';

/**
 * Reads many users with one query, in the order of the ids, without duplicates and without unknown and deleted users.
 */
export function makeBatchGetUsers({ users }: { readonly users: UserStore }) {
  return async (userIds: readonly string[]): Promise<User[]> => {
    const checks = new FieldChecks().count(userIds.length, 'user_ids', batchLimits);
    if (userIds.length <= batchLimits.max) {
      userIds.forEach((id, index) => checks.id(id, `user_ids[${index}]`));
    }
    checks.done();
    const unique = [...new Set(userIds)];
    const found = new Map((await users.findByIds(unique)).map((user) => [user.id, user]));
    return unique.map((id) => found.get(id)).filter((user) => user !== undefined);
  };
}
