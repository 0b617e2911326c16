import type { ClientSession, MongoClient } from 'mongodb';
import { AppError } from '@daycare/errors';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { inTransaction } from '@daycare/mongo';
import type { ConnectorKeyStore } from './connector-key-store';
import type { Revocation, RevocationStore } from './revocation-store';
import type { UserStore } from './user-store';

export interface Deletion {
  readonly userId: string;
  readonly at: Date;
  readonly requestId: string;
  /** What ends, and who has to hear of it, when the user and these subusers go. */
  readonly consequences: (userIds: readonly string[]) => {
    readonly revocations: readonly Revocation[];
    readonly notices: readonly MessageDraft[];
  };
}

export interface DeletionParts {
  readonly client: MongoClient;
  readonly users: UserStore;
  readonly connectorKeys: ConnectorKeyStore;
  readonly revocations: RevocationStore;
  readonly outbox: OutboxStore;
}

const tries = 10;

/** Deletes a user with its subusers, ends their tokens and stores the notices, all or nothing. */
export class DeletionStore {
  constructor(private readonly parts: DeletionParts) {}

  /** Returns who was deleted; nobody when the user was gone already. */
  async delete(deletion: Deletion): Promise<readonly string[]> {
    for (let tryNumber = 1; ; tryNumber += 1) {
      try {
        return await inTransaction(this.parts.client, (session) =>
          this.#deleteAll(deletion, session),
        );
      } catch (error) {
        const lostRace = error instanceof AppError && error.code === 'CONFLICT';
        if (!lostRace || tryNumber === tries) throw error;
      }
    }
  }

  async #deleteAll(deletion: Deletion, session: ClientSession): Promise<readonly string[]> {
    const { users, connectorKeys, revocations, outbox } = this.parts;
    const userIds = await users.listWithSubusers(deletion.userId, session);
    if (userIds.length === 0) return [];
    const consequences = deletion.consequences(userIds);
    await users.markDeleted(userIds, deletion, session);
    await connectorKeys.removeOfUsers(userIds, session);
    await revocations.add(consequences.revocations, session);
    await outbox.append(consequences.notices, session);
    return userIds;
  }
}
