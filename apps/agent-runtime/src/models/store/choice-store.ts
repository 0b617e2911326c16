import type { Collection, Db } from 'mongodb';
import { pushRequest, retryOnDuplicateKey, tryWrite, type CollectionIndexes } from '@daycare/mongo';
import type { ModelName } from '../catalogue/model-entry';
import { providersKey, userKey } from '../domain/model-levels';

/** The choice for a user, a role or the instance; its list is empty once the choice has been removed. */
interface ChoiceDocument {
  readonly _id: string;
  /** Absent in the document of the added providers. */
  readonly models?: readonly ModelName[];
  /** Only in the document of the added providers. */
  readonly revision?: number;
  /** By the database's clock. */
  readonly changedAt: Date;
  /** The ids of the newest requests that changed this document. */
  readonly changedBy: readonly string[];
}

export interface ChoiceChange {
  readonly key: string;
  readonly models: readonly ModelName[];
  readonly requestId: string;
}

export interface ChangedChoices {
  readonly choices: ReadonlyMap<string, readonly ModelName[]>;
  /** The time of the newest change; pass it to the next call as `since`. */
  readonly mark: Date;
  /** The revision of the added providers, if they have changed. */
  readonly providersRevision?: number | undefined;
}

export const choiceCollection = 'model_choices';
const overlapMs = 10_000;

export const choiceIndexes: CollectionIndexes = {
  collection: choiceCollection,
  shardKey: 'unsharded',
  indexes: [{ name: 'changed', key: { changedAt: 1 } }],
};

/** The choices at the levels above single agents; an agent's own choice is stored with the agent. */
export class ChoiceStore {
  readonly #choices: Collection<ChoiceDocument>;

  constructor(db: Db) {
    this.#choices = db.collection(choiceCollection);
  }

  /** Finds the choices for these keys. A removed choice is an empty list; keys that never had a choice are omitted. */
  async find(keys: readonly string[]): Promise<ReadonlyMap<string, readonly ModelName[]>> {
    return toMap(await this.#choices.find({ _id: { $in: [...keys] } }).toArray());
  }

  /** Returns the time of the last change to any choice or to the added providers. */
  async newestMark(): Promise<Date> {
    const [newest] = await this.#choices.find().sort({ changedAt: -1 }).limit(1).toArray();
    return newest?.changedAt ?? new Date(0);
  }

  /**
   * Lists the choices that changed after the time `since`, and those that changed shortly before it, because they may
   * have become visible late. The longer nothing has changed (`quietMs`), the closer to `since` the read begins.
   */
  async listChanged(since: Date, quietMs = 0): Promise<ChangedChoices> {
    const from = new Date(since.getTime() - Math.max(0, overlapMs - quietMs));
    const found = await this.#choices
      .find({ changedAt: { $gte: from } })
      // The providers themselves are read only by code that can decrypt their keys.
      .project<Omit<ChoiceDocument, 'changedBy'>>({ models: 1, revision: 1, changedAt: 1 })
      .sort({ changedAt: 1 })
      .toArray();
    const providersRevision = found.find(({ _id }) => _id === providersKey)?.revision;
    const mark = found.at(-1)?.changedAt ?? since;
    return { choices: toMap(found), mark, providersRevision };
  }

  /**
   * Sets a choice once per request id, so that a retry does not undo a later change. Returns the resulting choice.
   */
  async set({ key, models, requestId }: ChoiceChange): Promise<readonly ModelName[]> {
    const upsert = () =>
      this.#choices.updateOne(
        { _id: key, changedBy: { $ne: requestId } },
        {
          $set: { models: [...models] },
          $currentDate: { changedAt: true },
          $push: { changedBy: pushRequest(requestId) },
        },
        { upsert: true },
      );
    if (await tryWrite(() => retryOnDuplicateKey(upsert))) return models;
    // A choice exists, and this request has already changed it.
    return (await this.find([key])).get(key) ?? [];
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#choices.deleteOne({ _id: userKey(userId) });
  }
}

function toMap(
  found: readonly Pick<ChoiceDocument, '_id' | 'models'>[],
): ReadonlyMap<string, readonly ModelName[]> {
  return new Map(found.map(({ _id, models = [] }) => [_id, models]));
}
