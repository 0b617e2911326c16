import type { Collection, Db, Filter } from 'mongodb';
import type { Trust } from '@daycare/api';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import type { ProvenanceRow } from '../domain/provenance';
import { lowestForeign } from './lowest-foreign';

interface ProvenanceDocument extends Omit<ProvenanceRow, 'path'> {
  /** The user's id and the path, so that a folder is a range of ids. */
  readonly _id: string;
}

const collection = 'file_provenance';
const rowsPerBatch = 1_000;

export const provenanceIndexes: CollectionIndexes = {
  collection,
  // A folder is a range of ids.
  shardKey: { _id: 1 },
  indexes: [],
};

/**
 * Stores the provenance of users' files, by user and path. A file without a row contains only the user's own text,
 * unless a program whose changes are not marked yet has changed it.
 */
export class ProvenanceStore {
  readonly #rows: Collection<ProvenanceDocument>;

  constructor(db: Db) {
    this.#rows = db.collection(collection);
  }

  /** Marks files as written by someone else; a lower trust recorded earlier is kept. */
  async mark(userId: string, paths: readonly string[], trust: Trust): Promise<void> {
    if (paths.length === 0) return;
    const lowest = lowestForeign(trust);
    const updates = paths.map((path) => ({
      updateOne: {
        filter: { _id: idOf(userId, path) },
        update: [{ $set: { trust: lowest, markedAt: '$$NOW' } }],
        upsert: true,
      },
    }));
    await retryOnDuplicateKey(() => this.#rows.bulkWrite(updates, { ordered: false }));
  }

  /**
   * Records the hash of the text that one of the user's own turns writes to a file, if the file has a row. With
   * `upsert`, also creates a missing row, which marks nothing as foreign.
   */
  async noteOwnText(
    userId: string,
    path: string,
    ownTextHash: string,
    { upsert }: { readonly upsert: boolean },
  ): Promise<void> {
    const trust = { $ifNull: ['$trust', 'own'] };
    const markedAt = { $cond: [{ $eq: [trust, 'own'] }, '$$NOW', '$markedAt'] };
    const update = [{ $set: { ownText: ownTextHash, trust, markedAt } }];
    await retryOnDuplicateKey(() =>
      this.#rows.updateOne({ _id: idOf(userId, path) }, update, { upsert }),
    );
  }

  /** Records the hash of the text that the person approved; returns false when the file has no row. */
  async approve(userId: string, path: string, approvedTextHash: string): Promise<boolean> {
    const { matchedCount } = await this.#rows.updateOne(
      { _id: idOf(userId, path) },
      { $set: { approvedText: approvedTextHash } },
    );
    return matchedCount === 1;
  }

  async find(userId: string, paths: readonly string[]): Promise<ProvenanceRow[]> {
    if (paths.length === 0) return [];
    const ids = paths.map((path) => idOf(userId, path));
    return (await this.#rows.find({ _id: { $in: ids } }).toArray()).map(toRow);
  }

  /** Lists the rows of everything below a folder, or of all files when `folder` is undefined. */
  async list(userId: string, folder: string | undefined, limit: number): Promise<ProvenanceRow[]> {
    const found = await this.#rows.find(below(userId, folder)).limit(limit).toArray();
    return found.map(toRow);
  }

  /** Yields all of a user's rows, in batches, because there may be a row for every entry in the user's directory. */
  async *batches(userId: string): AsyncGenerator<ProvenanceRow[]> {
    let after: string | undefined = `${userId}/`;
    while (after !== undefined) {
      const found: ProvenanceDocument[] = await this.#rows
        .find({ _id: { $gt: after, $lt: `${userId}0` } })
        .sort({ _id: 1 })
        .limit(rowsPerBatch)
        .toArray();
      yield found.map(toRow);
      after = found.length < rowsPerBatch ? undefined : found.at(-1)?._id;
    }
  }

  /**
   * Returns the distinct trusts in the rows of everything below a folder, or of all files when `folder` is undefined.
   */
  async trusts(userId: string, folder: string | undefined): Promise<Trust[]> {
    const byTrust = { $group: { _id: '$trust' } };
    const pipeline = [{ $match: below(userId, folder) }, byTrust];
    const found = await this.#rows.aggregate<{ _id: Trust }>(pipeline).toArray();
    return found.map(({ _id }) => _id);
  }

  /** Removes the rows of a deleted entry and of everything below it, if they were marked before the given time. */
  async forget(userId: string, path: string, before: Date): Promise<void> {
    const isOld = { markedAt: { $lt: before } };
    const entry = { $or: [{ _id: idOf(userId, path) }, below(userId, path)] };
    await this.#rows.deleteMany({ $and: [entry, isOld] });
  }

  /** Removes the rows of these files that were marked before the given time. */
  async forgetFiles(userId: string, paths: readonly string[], before: Date): Promise<void> {
    if (paths.length === 0) return;
    const ids = paths.map((path) => idOf(userId, path));
    await this.#rows.deleteMany({ _id: { $in: ids }, markedAt: { $lt: before } });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#rows.deleteMany(below(userId, undefined));
  }
}

function idOf(userId: string, path: string): string {
  return `${userId}/${path}`;
}

/** Selects everything below a folder, or all of the user's files; `0` is the character after `/`. */
function below(userId: string, folder: string | undefined): Filter<ProvenanceDocument> {
  const start = folder === undefined ? userId : idOf(userId, folder);
  return { _id: { $gt: `${start}/`, $lt: `${start}0` } };
}

function toRow({ _id, ...fields }: ProvenanceDocument): ProvenanceRow {
  return { path: _id.slice(_id.indexOf('/') + 1), ...fields };
}
