import { FieldChecks, notFound } from '@daycare/api';
import { mayRead, type Reader, type User } from '../domain/user';
import type { UserStore } from '../store/user-store';

/** Reads one user. The error is the same whether the user does not exist or the reader may not see it. */
export function makeGetUser({ users }: { readonly users: UserStore }) {
  return async (reader: Reader, userId: string): Promise<User> => {
    new FieldChecks().id(userId, 'user_id').done();
    const user = await users.findById(userId);
    if (!user || !mayRead(reader, user)) throw notFound('user');
    return user;
  };
}
