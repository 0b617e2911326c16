import type { ClientSession, MongoClient } from 'mongodb';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { commit, retryTransaction } from '@daycare/mongo';
import type { ConnectorKeyStore } from './connector-key-store';
import type { Revocation } from '../domain/revocation';
import type { RevocationStore } from './revocation-store';
import type { UserStore } from './user-store';

export interface Deletion {
  readonly userId: string;
  readonly at: Date;
  readonly requestId: string;
  /** Returns the revocations and notices that deleting these users requires. */
  readonly consequences: (userIds: readonly string[]) => {
    readonly revocations: readonly Revocation[];
    readonly notices: readonly MessageDraft[];
  };
}

export interface DeletionDeps {
  readonly client: MongoClient;
  readonly users: UserStore;
  readonly connectorKeys: ConnectorKeyStore;
  readonly revocations: RevocationStore;
  readonly outbox: OutboxStore;
}

/** Deletes a user with its subusers, revokes their tokens and stores the notices, all or nothing. */
export class DeletionStore {
  constructor(private readonly deps: DeletionDeps) {}

  /** Returns the ids that were deleted; empty when the user does not exist or was already deleted. */
  async delete(deletion: Deletion): Promise<readonly string[]> {
    return retryTransaction(this.deps.client, async (session) =>
      commit(await this.#deleteAll(deletion, session)),
    );
  }

  async #deleteAll(deletion: Deletion, session: ClientSession): Promise<readonly string[]> {
    const { users, connectorKeys, revocations, outbox } = this.deps;
    const family = await users.findFamily(deletion.userId, session);
    if (!family) return [];
    const { userIds } = family;
    const consequences = deletion.consequences(userIds);
    await users.markDeleted(family, deletion, session);
    await connectorKeys.removeByUsers(userIds, session);
    await outbox.append(consequences.notices, session);
    // Last, because from this write until this transaction ends, all other transactions that add revocations conflict
    // with it and have to be repeated.
    await revocations.add(consequences.revocations, session);
    return userIds;
  }
}
