import { FieldChecks, notFound } from '@daycare/errors';
import { parseNametag } from '../domain/nametag';
import type { User } from '../domain/user';
import type { UserStore } from '../store/user-store';

/** Finds the user behind a nametag as a person typed it. */
export function makeResolveNametag({ users }: { readonly users: UserStore }) {
  return async (typed: string): Promise<User> => {
    const nametag = parseNametag(typed);
    const description =
      typed === '' ? 'is required' : 'must be lower-case words followed by digits, e.g. swiftfox42';
    new FieldChecks().require(nametag !== undefined, 'nametag', description).done();
    const user = await users.findByNametag(nametag ?? '');
    if (!user) throw notFound('Nametag');
    return user;
  };
}
