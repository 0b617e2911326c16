import { FieldChecks, notFound } from '@daycare/errors';
import type { User } from '../domain/user';
import type { UserStore } from '../store/user-store';

/** Reads one user. */
export function makeGetUser({ users }: { readonly users: UserStore }) {
  return async (userId: string): Promise<User> => {
    new FieldChecks().id(userId, 'user_id').done();
    const user = await users.findById(userId);
    if (!user) throw notFound('User');
    return user;
  };
}
