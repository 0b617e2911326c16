import type { Collection, Db } from 'mongodb';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';

/** A call that was started, and its result once there is one. */
export interface StoredToolCall {
  /** Identifies the call: a retry has the same id. */
  readonly requestId: string;
  readonly userId: string;
  /** Derived from the agent, the tool and its arguments. */
  readonly fingerprint: string;
  /**
   * The state that the effect depends on, as JSON, as it was before the effect; empty for a call that was stored
   * together with its result.
   */
  readonly beforeJson: string;
  readonly startedAt: Date;
  /** The result as JSON; missing until the effect is complete. */
  readonly resultJson?: string;
}

interface ToolCallDocument extends Omit<StoredToolCall, 'requestId'> {
  readonly _id: string;
}

const collection = 'tool_calls';
/** Longer than the time within which a call may be retried. */
const rememberedSeconds = 8 * 24 * 60 * 60;

export const toolCallIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'user', key: { userId: 1 } },
    { name: 'expiry', key: { startedAt: 1 }, expireAfterSeconds: rememberedSeconds },
  ],
};

/** Records which calls were started and what they returned, so that no effect happens twice. */
export class ToolCallStore {
  readonly #calls: Collection<ToolCallDocument>;

  constructor(db: Db) {
    this.#calls = db.collection(collection);
  }

  async find(userId: string, requestId: string): Promise<StoredToolCall | undefined> {
    const document = await this.#calls.findOne({ _id: requestId, userId });
    return document ? toCall(document) : undefined;
  }

  /** Stores the call unless it is already stored; returns the stored call and whether it is new. */
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

  /** Records the result of a call, unless it has one already. */
  async finish(
    { userId, requestId }: Pick<StoredToolCall, 'userId' | 'requestId'>,
    resultJson: string,
  ): Promise<void> {
    const unfinished = { _id: requestId, userId, resultJson: { $exists: false } };
    await this.#calls.updateOne(unfinished, { $set: { resultJson } });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#calls.deleteMany({ userId });
  }
}

function toCall({ _id: requestId, ...fields }: ToolCallDocument): StoredToolCall {
  return { requestId, ...fields };
}
