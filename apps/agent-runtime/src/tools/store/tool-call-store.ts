import type { Collection, Db } from 'mongodb';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';

/** A call that was begun, and its result once there is one. */
export interface StoredToolCall {
  /** The key of the call, by which a repeated call finds it. */
  readonly requestId: string;
  readonly userId: string;
  /** Derived from the tool and its arguments. */
  readonly fingerprint: string;
  /**
   * JSON: the state that the effect depends on, as it was before; empty for a call that was stored with
   * its result.
   */
  readonly beforeJson: string;
  readonly startedAt: Date;
  /** JSON; missing until the effect is complete. */
  readonly resultJson?: string;
}

interface ToolCallDocument extends Omit<StoredToolCall, 'requestId'> {
  readonly _id: string;
}

const collection = 'tool_calls';
/** Longer than a call can be repeated. */
const rememberedSeconds = 8 * 24 * 60 * 60;

export const toolCallIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'user', key: { userId: 1 } },
    { name: 'expiry', key: { startedAt: 1 }, expireAfterSeconds: rememberedSeconds },
  ],
};

/** Records which calls were begun and how they ended, so that no effect is repeated. */
export class ToolCallStore {
  readonly #calls: Collection<ToolCallDocument>;

  constructor(db: Db) {
    this.#calls = db.collection(collection);
  }

  async find(userId: string, requestId: string): Promise<StoredToolCall | undefined> {
    const found = await this.#calls.findOne({ _id: requestId, userId });
    return found ? toCall(found) : undefined;
  }

  /** Stores the call unless it is known; returns the stored one and whether it is new. */
  async begin(call: StoredToolCall): Promise<{ stored: StoredToolCall; isNew: boolean }> {
    const { requestId: _id, userId, ...fields } = call;
    const before = await retryOnDuplicateKey(() =>
      this.#calls.findOneAndUpdate(
        { _id, userId },
        { $setOnInsert: fields },
        { upsert: true, returnDocument: 'before' },
      ),
    );
    return before ? { stored: toCall(before), isNew: false } : { stored: call, isNew: true };
  }

  /** The first result stays. */
  async finish(
    { userId, requestId }: Pick<StoredToolCall, 'userId' | 'requestId'>,
    resultJson: string,
  ): Promise<void> {
    const isOpen = { _id: requestId, userId, resultJson: { $exists: false } };
    await this.#calls.updateOne(isOpen, { $set: { resultJson } });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#calls.deleteMany({ userId });
  }
}

function toCall({ _id: requestId, ...fields }: ToolCallDocument): StoredToolCall {
  return { requestId, ...fields };
}
