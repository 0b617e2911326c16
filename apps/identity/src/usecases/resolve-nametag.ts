import { FieldChecks, notFound } from '@daycare/api';
import type { User } from '../domain/user';
import type { UserStore } from '../store/user-store';

/** Finds the user with a nametag that a person has typed. */
export function makeResolveNametag({ users }: { readonly users: UserStore }) {
  return async (typed: string): Promise<User> => {
    const checks = new FieldChecks();
    const nametag = checks.nametag(typed, 'nametag');
    checks.done();
    const user = await users.findByNametag(nametag);
    if (!user) throw notFound('nametag');
    return user;
  };
}
