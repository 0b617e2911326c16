import { FieldChecks } from '@daycare/api';
import { nameLimits, type User } from '../domain/user';
import type { InsertUser } from './insert-user';

export interface CreateUserCommand {
  /** The caller's credential. */
  readonly createdBy: string;
  readonly requestId: string;
  readonly name: string;
}

/** Creates a top-level user, once per request id. */
export function makeCreateUser({ insertUser }: { readonly insertUser: InsertUser }) {
  return async ({ createdBy, requestId, name: rawName }: CreateUserCommand): Promise<User> => {
    new FieldChecks().requestId(requestId).line(rawName, 'name', nameLimits).done();
    const name = rawName.trim();
    const draft = { name, parentUserId: undefined, description: '' };
    const request = { scope: createdBy, id: requestId, fingerprint: name };
    return (await insertUser(draft, createdBy, request)).user;
  };
}
