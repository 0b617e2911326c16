import { FieldChecks, notFound } from '@daycare/api';
import { deletionNotices } from '../domain/user-notice';
import type { DeletionStore } from '../store/deletion-store';
import type { SessionStore } from '../store/session-store';
import type { PersonalTokenStore } from '../store/sign-in/personal-token-store';
import type { SignInCodeStore } from '../store/sign-in/sign-in-code-store';
import type { UserStore } from '../store/user-store';
import { toDraft } from './notice-draft';
import { lastExpiry } from './tokens/end-sessions';

export interface DeleteUsersDeps {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly personalTokens: PersonalTokenStore;
  readonly codes: SignInCodeStore;
  readonly deletions: DeletionStore;
  readonly now: () => Date;
  /** The longest lifetime of any token that may still be valid. */
  readonly longestTokenLifetimeMs: () => Promise<number>;
  /** Notifies the relay that there are messages to publish. */
  readonly wake: () => void;
}

export interface DeleteCommand {
  readonly requestId: string;
  readonly userId: string;
  readonly traceparent?: string | undefined;
}

/** Deletes users and subusers: leaves tombstones here, and notifies every service that stores their data. */
export function makeDeleteUsers(deps: DeleteUsersDeps) {
  const { users, sessions, personalTokens, codes, deletions, now, wake } = deps;
  const deleteWithSubusers = async (command: DeleteCommand): Promise<boolean> => {
    const { requestId, userId, traceparent } = command;
    const at = now();
    const expiresAt = await lastExpiry(deps);
    const userIds = await deletions.delete({
      userId,
      at,
      requestId,
      consequences: (ids) => ({
        revocations: ids.map((id) => ({ id: `user:${id}`, expiresAt })),
        notices: deletionNotices(ids).map((notice) => ({ ...toDraft(notice), traceparent })),
      }),
    });
    const stores = [sessions, personalTokens, codes];
    await Promise.all(stores.map((store) => store.removeByUsers(userIds)));
    wake();
    return userIds.length > 0;
  };
  return {
    async deleteSubuser(ownerId: string, command: DeleteCommand): Promise<void> {
      const { requestId, userId } = command;
      new FieldChecks().requestId(requestId).id(userId, 'subuser_id').done();
      const isOwned = (await users.findSubuser(ownerId, userId)) !== undefined;
      if (isOwned && (await deleteWithSubusers(command))) return;
      if (!(await users.wasDeletedBy(userId, ownerId, requestId))) throw notFound('subuser');
    },
    /** The handler must have checked that the caller is the user or an operator. */
    async deleteUser(command: DeleteCommand): Promise<void> {
      const { requestId, userId } = command;
      new FieldChecks().requestId(requestId).id(userId, 'user_id').done();
      if (await deleteWithSubusers(command)) return;
      if (!(await users.wasDeletedBy(userId, undefined, requestId))) throw notFound('user');
    },
  };
}
