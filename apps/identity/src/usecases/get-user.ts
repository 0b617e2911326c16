import { FieldChecks, notFound } from '@daycare/api';
import { mayRead, type Reader, type User } from '../domain/user';
import type { UserStore } from '../store/user-store';

/** Reads one user. A user that the reader may not see gets the same answer as one that does not exist. */
export function makeGetUser({ users }: { readonly users: UserStore }) {
  return async (reader: Reader, userId: string): Promise<User> => {
    new FieldChecks().id(userId, 'user_id').done();
    const user = await users.findById(userId);
    if (!user || !mayRead(reader, user)) throw notFound('user');
    return user;
  };
}
