import { FieldChecks, messageIdOf, notFound } from '@daycare/api';
import { renameNotices } from '../domain/user-notice';
import { nameLimits, type User } from '../domain/user';
import type { RenameStore } from '../store/rename-store';
import type { UserStore } from '../store/user-store';
import { toDraft } from './notice-draft';

export interface RenameSubuserCommand {
  readonly ownerId: string;
  readonly requestId: string;
  readonly subuserId: string;
  readonly name: string;
  readonly traceparent?: string | undefined;
}

export interface RenameSubuserDeps {
  readonly users: UserStore;
  readonly renames: RenameStore;
  /** Notifies the relay that there are messages to publish. */
  readonly wake: () => void;
}

/** Renames a subuser, once per request id; its nametag stays the same. */
export function makeRenameSubuser({ users, renames, wake }: RenameSubuserDeps) {
  return async (command: RenameSubuserCommand): Promise<User> => {
    const { ownerId, requestId, subuserId } = command;
    new FieldChecks()
      .requestId(requestId)
      .id(subuserId, 'subuser_id')
      .line(command.name, 'name', nameLimits)
      .done();
    const name = command.name.trim();
    const renameId = messageIdOf('rename', ownerId, subuserId, requestId);
    const notices = renameNotices(subuserId, name, renameId);
    const { traceparent } = command;
    const drafts = notices.map((notice) => ({ ...toDraft(notice), traceparent }));
    const rename = { ownerId, subuserId, name, requestId, notices: drafts };
    const renamed = await renames.rename(rename);
    if (renamed) wake();
    const subuser = renamed ?? (await users.findSubuser(ownerId, subuserId));
    if (!subuser) throw notFound('subuser');
    return subuser;
  };
}
