import type { Collection, Db } from 'mongodb';
import {
  pushRequest,
  retryOnDuplicateKey,
  violatedIndex,
  type CollectionIndexes,
} from '@daycare/mongo';
import type { ModelName } from '../catalogue/model-entry';
import { userKey } from '../domain/model-levels';

/** What a user, a role or the instance has chosen; empty once the choice was taken back. */
interface ChoiceDocument {
  readonly _id: string;
  readonly models: readonly ModelName[];
  readonly changedAt: Date;
  /** The newest requests that changed it. */
  readonly changedBy: readonly string[];
}

export interface ChoiceChange {
  readonly key: string;
  readonly models: readonly ModelName[];
  readonly requestId: string;
  readonly now: Date;
}

const collection = 'model_choices';

export const choiceIndexes: CollectionIndexes = {
  collection,
  indexes: [{ name: 'changed', key: { changedAt: 1 } }],
};

/** The choices above single agents, whose own are stored with them. */
export class ChoiceStore {
  readonly #choices: Collection<ChoiceDocument>;

  constructor(db: Db) {
    this.#choices = db.collection(collection);
  }

  /** Keys without a choice are omitted. */
  async find(keys: readonly string[]): Promise<ReadonlyMap<string, readonly ModelName[]>> {
    return toMap(await this.#choices.find({ _id: { $in: [...keys] } }).toArray());
  }

  /** Those that have changed since then. */
  async listChanged(since: Date): Promise<ReadonlyMap<string, readonly ModelName[]>> {
    return toMap(await this.#choices.find({ changedAt: { $gte: since } }).toArray());
  }

  /** Once per request id: a repeated request does not undo a later one. Returns what is chosen afterwards. */
  async set({ key, models, requestId, now }: ChoiceChange): Promise<readonly ModelName[]> {
    try {
      await retryOnDuplicateKey(() =>
        this.#choices.updateOne(
          { _id: key, changedBy: { $ne: requestId } },
          {
            $set: { models: [...models], changedAt: now },
            $push: { changedBy: pushRequest(requestId) },
          },
          { upsert: true },
        ),
      );
      return models;
    } catch (error) {
      // There is a choice, and this request has changed it before.
      if (violatedIndex(error) === undefined) throw error;
      return (await this.find([key])).get(key) ?? [];
    }
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#choices.deleteOne({ _id: userKey(userId) });
  }
}

function toMap(found: readonly ChoiceDocument[]): ReadonlyMap<string, readonly ModelName[]> {
  return new Map(found.map(({ _id, models }) => [_id, models]));
}
