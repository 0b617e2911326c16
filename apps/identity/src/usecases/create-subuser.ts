import { FieldChecks } from '@daycare/api';
import { descriptionLimits, nameLimits, type User } from '../domain/user';
import type { InsertUser } from './insert-user';

export interface CreateSubuserCommand {
  readonly ownerId: string;
  readonly requestId: string;
  readonly name: string;
  readonly description: string;
}

/** Creates a subuser for the owner, once per request id. */
export function makeCreateSubuser({ insertUser }: { readonly insertUser: InsertUser }) {
  return async (command: CreateSubuserCommand): Promise<User> => {
    const { ownerId, requestId } = command;
    new FieldChecks()
      .requestId(requestId)
      .line(command.name, 'name', nameLimits)
      .line(command.description, 'description', descriptionLimits)
      .done();
    const name = command.name.trim();
    const description = command.description.trim();
    const fingerprint = JSON.stringify([name, description]);
    const request = { scope: `user:${ownerId}`, id: requestId, fingerprint };
    const draft = { name, parentUserId: ownerId, description };
    return (await insertUser(draft, `user:${ownerId}`, request)).user;
  };
}
