import type { ClientSession, Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';

interface ConnectorKeyDocument {
  /** `connector:key`. */
  readonly _id: string;
  readonly userId: string;
}

const collection = 'connector_keys';

export const connectorKeyIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'user', key: { userId: 1 } }],
};

/** Stores the user for each key by which a connector knows a person. */
export class ConnectorKeyStore {
  readonly #keys: Collection<ConnectorKeyDocument>;

  constructor(db: Db) {
    this.#keys = db.collection<ConnectorKeyDocument>(collection);
  }

  async findUserId(connectorKey: string): Promise<string | undefined> {
    return (await this.#keys.findOne({ _id: connectorKey }))?.userId;
  }

  /** Assigns the key to a user, replacing the deleted user to whom it may have belonged. */
  async assign(connectorKey: string, userId: string): Promise<void> {
    await this.#keys.updateOne({ _id: connectorKey }, { $set: { userId } }, { upsert: true });
  }

  async hasKey(connector: string, userId: string): Promise<boolean> {
    const keys = await this.#keys.find({ userId }).toArray();
    return keys.some(({ _id }) => _id.startsWith(`${connector}:`));
  }

  async removeByUsers(userIds: readonly string[], session: ClientSession): Promise<void> {
    await this.#keys.deleteMany({ userId: { $in: [...userIds] } }, { session });
  }
}
