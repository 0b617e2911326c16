import { FieldChecks, notFound } from '@daycare/errors';
import type { User } from '../domain/user';
import type { UserStore } from '../store/user-store';

/** Finds the user behind a nametag as a person typed it. */
export function makeResolveNametag({ users }: { readonly users: UserStore }) {
  return async (typed: string): Promise<User> => {
    const checks = new FieldChecks();
    const nametag = checks.nametag(typed, 'nametag');
    checks.done();
    const user = await users.findByNametag(nametag);
    if (!user) throw notFound('Nametag');
    return user;
  };
}
