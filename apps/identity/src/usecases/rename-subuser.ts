import { FieldChecks, notFound } from '@daycare/errors';
import { nameLimits, type User } from '../domain/user';
import type { UserStore } from '../store/user-store';

export interface RenameSubuserCommand {
  readonly ownerId: string;
  readonly requestId: string;
  readonly subuserId: string;
  readonly name: string;
}

/** Changes what a subuser is called; its nametag stays. */
export function makeRenameSubuser({ users }: { readonly users: UserStore }) {
  return async ({ ownerId, requestId, subuserId, name }: RenameSubuserCommand): Promise<User> => {
    new FieldChecks()
      .requestId(requestId)
      .id(subuserId, 'subuser_id')
      .line(name, 'name', nameLimits)
      .done();
    const renamed = await users.renameSubuser(ownerId, subuserId, { name: name.trim(), requestId });
    if (!renamed) throw notFound('Subuser');
    return renamed;
  };
}
