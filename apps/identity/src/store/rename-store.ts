import type { MongoClient } from 'mongodb';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { inTransaction } from '@daycare/mongo';
import type { User } from '../domain/user';
import type { SubuserRename, UserStore } from './user-store';

export interface Rename extends SubuserRename {
  readonly notices: readonly MessageDraft[];
}

export interface RenameParts {
  readonly client: MongoClient;
  readonly users: UserStore;
  readonly outbox: OutboxStore;
}

/** Renames a subuser and stores the notices of it, both or neither. */
export class RenameStore {
  constructor(private readonly parts: RenameParts) {}

  /** Undefined when the request was carried out before, or there is no such subuser. */
  async rename({ notices, ...rename }: Rename): Promise<User | undefined> {
    const { client, users, outbox } = this.parts;
    return inTransaction(client, async (session) => {
      const renamed = await users.renameSubuser(rename, session);
      if (renamed) await outbox.append(notices, session);
      return renamed;
    });
  }
}
