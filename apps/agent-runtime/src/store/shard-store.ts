import type { Collection, Db, Document } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';

/** A shard in the hands of a replica. The fence is higher than that of every holder before. */
export interface HeldShard {
  readonly shard: number;
  readonly fence: number;
}

interface ShardDocument {
  readonly _id: number;
  readonly holder?: string;
  readonly fence: number;
  /** In the past when the shard is free. */
  readonly expiresAt: Date;
}

interface ReplicaDocument {
  readonly _id: string;
  readonly expiresAt: Date;
}

const shardCollection = 'shards';
const replicaCollection = 'replicas';
/** Those who race for the same shards get in each other's way four times less with each attempt. */
const maxAttempts = 8;
const longAgo = new Date(0);
// All times are the database's, so that the clocks of the replicas do not matter.
const isExpired = { $expr: { $lte: ['$expiresAt', '$$NOW'] } };
const isCurrent = { $expr: { $gt: ['$expiresAt', '$$NOW'] } };

export const shardIndexes: CollectionIndexes = {
  collection: shardCollection,
  indexes: [
    { name: 'holder', key: { holder: 1 } },
    { name: 'expiry', key: { expiresAt: 1 } },
  ],
};

export const replicaIndexes: CollectionIndexes = {
  collection: replicaCollection,
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** Which replica holds which shard, and which replicas live. Shards belong to no user. */
export class ShardStore {
  readonly #shards: Collection<ShardDocument>;
  readonly #replicas: Collection<ReplicaDocument>;

  constructor(db: Db) {
    this.#shards = db.collection<ShardDocument>(shardCollection);
    this.#replicas = db.collection<ReplicaDocument>(replicaCollection);
  }

  /**
   * Creates the shards that are missing; any number of replicas may do so at once. Refuses a number
   * below the one that the database was used with, since shards of nobody would be shared out too.
   */
  async ensure(count: number): Promise<void> {
    const beyond = await this.#shards.countDocuments({ _id: { $gte: count } });
    if (beyond > 0) {
      throw new Error(`the database has ${count + beyond} shards and cannot go back to ${count}`);
    }
    if ((await this.#shards.countDocuments({ _id: { $lt: count } })) === count) return;
    const missing = { $setOnInsert: { fence: 0, expiresAt: longAgo } };
    await this.#shards.bulkWrite(
      Array.from({ length: count }, (_, shard) => ({
        updateOne: { filter: { _id: shard }, update: missing, upsert: true },
      })),
      { ordered: false },
    );
  }

  /** Says that this replica lives, and answers how many do. */
  async announce(replicaId: string, ttlMs: number): Promise<number> {
    const update = [{ $set: { expiresAt: fromNow(ttlMs) } }];
    await this.#replicas.updateOne({ _id: replicaId }, update, { upsert: true });
    return this.#replicas.countDocuments(isCurrent);
  }

  async withdraw(replicaId: string): Promise<void> {
    await this.#replicas.deleteOne({ _id: replicaId });
  }

  /**
   * Takes up to `limit` shards that nobody holds, each with a new fence. Tries again a few times
   * when others were faster. Shards in `except` are left to others.
   */
  async acquire(
    replicaId: string,
    limit: number,
    ttlMs: number,
    except: readonly number[] = [],
  ): Promise<HeldShard[]> {
    const taken: HeldShard[] = [];
    for (let attempt = 0; attempt < maxAttempts && taken.length < limit; attempt++) {
      const chosen = await this.#chooseFree(limit - taken.length, except);
      if (chosen.length === 0) break;
      const won = await this.#take(replicaId, chosen, ttlMs);
      taken.push(...won);
      if (won.length === chosen.length) break;
    }
    return taken;
  }

  /** Prolongs what the replica holds and answers it. What has expired is not revived. */
  async renew(replicaId: string, ttlMs: number): Promise<HeldShard[]> {
    const mine = { holder: replicaId, ...isCurrent };
    await this.#shards.updateMany(mine, [{ $set: { expiresAt: fromNow(ttlMs) } }]);
    return this.#list(mine);
  }

  /** Frees those that the replica still holds with the same fence. */
  async release(replicaId: string, held: readonly HeldShard[]): Promise<void> {
    if (held.length === 0) return;
    const update = { $unset: { holder: true }, $set: { expiresAt: longAgo } } as const;
    await this.#shards.bulkWrite(
      held.map(({ shard, fence }) => ({
        updateOne: { filter: { _id: shard, holder: replicaId, fence }, update },
      })),
      { ordered: false },
    );
  }

  /** At random, so that replicas do not fight for the same ones. */
  async #chooseFree(limit: number, except: readonly number[]): Promise<number[]> {
    const free = await this.#shards
      .find({ ...isExpired, ...(except.length > 0 ? { _id: { $nin: [...except] } } : {}) })
      .project<Pick<ShardDocument, '_id'>>({ _id: 1 })
      .toArray();
    return shuffle(free.map(({ _id }) => _id)).slice(0, limit);
  }

  async #take(replicaId: string, shards: readonly number[], ttlMs: number): Promise<HeldShard[]> {
    const taken = {
      holder: { $literal: replicaId },
      fence: { $add: ['$fence', 1] },
      expiresAt: fromNow(ttlMs),
    };
    await this.#shards.bulkWrite(
      shards.map((shard) => ({
        updateOne: { filter: { _id: shard, ...isExpired }, update: [{ $set: taken }] },
      })),
      { ordered: false },
    );
    return this.#list({ _id: { $in: [...shards] }, holder: replicaId });
  }

  async #list(filter: Document): Promise<HeldShard[]> {
    const found = await this.#shards.find(filter).toArray();
    return found.map(({ _id, fence }) => ({ shard: _id, fence }));
  }
}

function fromNow(ms: number): Document {
  return { $add: ['$$NOW', ms] };
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
