import { FieldChecks, notFound } from '@daycare/errors';
import { laneTo, renameNotices } from '../domain/user-notice';
import { nameLimits, type User } from '../domain/user';
import type { RenameStore } from '../store/rename-store';
import type { UserStore } from '../store/user-store';
import { toDraft } from './notice-draft';

export interface RenameSubuserCommand {
  readonly ownerId: string;
  readonly requestId: string;
  readonly subuserId: string;
  readonly name: string;
}

export interface RenameSubuserDeps {
  readonly users: UserStore;
  readonly renames: RenameStore;
  readonly newId: () => string;
  /** Tells the relay that there is something to publish. */
  readonly wake: (lanes: readonly string[]) => void;
}

/** Changes what a subuser is called, once per request id; its nametag stays. */
export function makeRenameSubuser({ users, renames, newId, wake }: RenameSubuserDeps) {
  return async (command: RenameSubuserCommand): Promise<User> => {
    const { ownerId, requestId, subuserId } = command;
    new FieldChecks()
      .requestId(requestId)
      .id(subuserId, 'subuser_id')
      .line(command.name, 'name', nameLimits)
      .done();
    const name = command.name.trim();
    const notices = renameNotices(subuserId, name, newId());
    const rename = { ownerId, subuserId, name, requestId, notices: notices.map(toDraft) };
    const renamed = await renames.rename(rename);
    if (renamed) wake(notices.map(({ service }) => laneTo(service)));
    const subuser = renamed ?? (await users.findSubuser(ownerId, subuserId));
    if (!subuser) throw notFound('Subuser');
    return subuser;
  };
}
