import { FieldChecks, notFound } from '@daycare/errors';
import { deletionNotices, laneTo, servicesToTell } from '../domain/user-notice';
import type { DeletionStore } from '../store/deletion-store';
import type { SessionStore } from '../store/session-store';
import type { UserStore } from '../store/user-store';
import { toDraft } from './notice-draft';

export interface DeleteUsersDeps {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly deletions: DeletionStore;
  readonly now: () => Date;
  /** How long a token that was just issued may live. */
  readonly tokenLifetimeMs: number;
  /** Tells the relay that there is something to publish. */
  readonly wake: (lanes: readonly string[]) => void;
}

export interface DeleteCommand {
  readonly requestId: string;
  readonly userId: string;
}

/** Deletes users and subusers: softly here, with a notice to every service that keeps things of them. */
export function makeDeleteUsers(deps: DeleteUsersDeps) {
  const { users, sessions, deletions, now, tokenLifetimeMs, wake } = deps;
  const end = async ({ requestId, userId }: DeleteCommand): Promise<boolean> => {
    const at = now();
    const expiresAt = new Date(at.getTime() + tokenLifetimeMs);
    const userIds = await deletions.delete({
      userId,
      at,
      requestId,
      consequences: (ids) => ({
        revocations: ids.map((id) => ({ id: `user:${id}`, expiresAt })),
        notices: deletionNotices(ids).map(toDraft),
      }),
    });
    await sessions.removeOfUsers(userIds);
    wake(servicesToTell.map(laneTo));
    return userIds.length > 0;
  };
  return {
    async deleteSubuser(ownerId: string, { requestId, userId }: DeleteCommand): Promise<void> {
      new FieldChecks().requestId(requestId).id(userId, 'subuser_id').done();
      const isOwned = (await users.findSubuser(ownerId, userId)) !== undefined;
      if (isOwned && (await end({ requestId, userId }))) return;
      if (!(await users.wasDeletedBy(userId, ownerId, requestId))) throw notFound('Subuser');
    },
    /** The caller has been checked to be the user itself or an operator. */
    async deleteUser({ requestId, userId }: DeleteCommand): Promise<void> {
      new FieldChecks().requestId(requestId).id(userId, 'user_id').done();
      if (await end({ requestId, userId })) return;
      if (!(await users.wasDeletedBy(userId, undefined, requestId))) throw notFound('User');
    },
  };
}
