import type { MongoClient } from 'mongodb';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { abort, commit, retryTransaction } from '@daycare/mongo';
import type { User } from '../domain/user';
import type { SubuserRename, UserStore } from './user-store';

export interface Rename extends SubuserRename {
  /** The notices about the rename; their ids are derived from the request. */
  readonly notices: readonly MessageDraft[];
}

export interface RenameDeps {
  readonly client: MongoClient;
  readonly users: UserStore;
  readonly outbox: OutboxStore;
}

/** Renames a subuser and stores the notices about it, both or neither. */
export class RenameStore {
  constructor(private readonly deps: RenameDeps) {}

  /** Returns undefined when the request was already carried out or there is no such subuser. */
  async rename({ notices, ...rename }: Rename): Promise<User | undefined> {
    const { client, users, outbox } = this.deps;
    return retryTransaction<User | undefined>(client, async (session) => {
      const renamed = await users.renameSubuser(rename, session);
      if (!renamed) return abort(undefined);
      // The user document remembers only the latest requests; the outbox also recognises the notices of older ones, for
      // at least a week.
      const stored = await outbox.append(notices, session);
      const isKnown = stored.some(({ outcome }) => outcome === 'duplicate');
      return isKnown ? abort(undefined) : commit(renamed);
    });
  }
}
