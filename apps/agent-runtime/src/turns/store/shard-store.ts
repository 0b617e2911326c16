import type { Collection, Db, Document } from 'mongodb';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import * as stages from './lease-stages';

/** A shard held by a replica. The fence is higher than that of every previous holder. */
export interface HeldShard {
  readonly shard: number;
  readonly fence: number;
}

/** All leases, as one document: every handover is one atomic write. */
interface LeaseDocument {
  readonly _id: string;
  /** Indexed by shard. */
  readonly fences: readonly number[];
  readonly replicas: readonly ReplicaLease[];
}

/** A replica's lease on all of its shards. Once it has expired, the replica no longer holds any of them. */
interface ReplicaLease {
  readonly id: string;
  readonly expiresAt: Date;
  /** Whether the replica hands its shards over and takes no others. */
  readonly isLeaving: boolean;
  /** Set by an operator: the replica hands over its shards and takes none until it is resumed. */
  readonly isDrained?: boolean;
  readonly shards: readonly number[];
  /** The shards that its last acquisition took. */
  readonly taken?: readonly number[];
}

export interface Renewal {
  /** The shards that the replica still holds. */
  readonly held: readonly HeldShard[];
  /** How many replicas share the shards. */
  readonly replicas: number;
  /** Whether an operator has drained the replica, so that it must hand over its shards. */
  readonly isDrained: boolean;
  /** The milliseconds until the first of the other replicas' leases ends, unless it is renewed. */
  readonly nextExpiryMs?: number;
}

/** Whether a replica takes no more shards, and whether, as far as it knows, an operator has drained it. */
export interface LeavingState {
  readonly isLeaving: boolean;
  /**
   * As the replica's last renewal returned it. Used only if the replica's lease has expired, because the stored value
   * was dropped with the lease.
   */
  readonly isDrained: boolean;
}

const notLeaving: LeavingState = { isLeaving: false, isDrained: false };

export interface SurveyedShard extends HeldShard {
  readonly replicaId: string | undefined;
}

export interface SurveyedReplica {
  readonly id: string;
  readonly shards: number;
  readonly expiresAt: Date;
  readonly isLeaving: boolean;
  readonly isDrained: boolean;
}

export interface ShardSurvey {
  readonly shards: readonly SurveyedShard[];
  readonly replicas: readonly SurveyedReplica[];
}

const collection = 'leases';
const _id = 'shards';

export const leaseIndexes: CollectionIndexes = { collection, shardKey: 'unsharded', indexes: [] };

/** Which replicas are alive, and which of them holds which shard. Contains no users' data. */
export class ShardStore {
  readonly #leases: Collection<LeaseDocument>;

  constructor(private readonly db: Db) {
    this.#leases = db.collection(collection);
  }

  /**
   * Creates missing shards; any number of replicas may do so concurrently. Refuses to reduce the number of
   * shards, since the agents of the removed shards would never run.
   */
  async ensure(shardCount: number): Promise<void> {
    await retryOnDuplicateKey(() =>
      this.#leases.updateOne({ _id }, stages.addShards(shardCount), { upsert: true }),
    );
    const { fences } = (await this.#leases.findOne({ _id })) ?? { fences: [] };
    if (fences.length <= shardCount) return;
    throw new Error(
      `the database has ${fences.length} shards; their number cannot be reduced to ${shardCount}`,
    );
  }

  /** Extends a replica's lease, or creates an empty one; an expired lease is not revived. */
  async renew(
    replicaId: string,
    ttlMs: number,
    leaving: LeavingState = notLeaving,
  ): Promise<Renewal> {
    const table = await this.#change(stages.renewLease(replicaId, ttlMs, leaving));
    const own = table.replicas.find(({ id }) => id === replicaId);
    const others = table.replicas.filter((replica) => replica !== own);
    const replicas = table.replicas.filter(({ isLeaving }) => !isLeaving).length;
    return {
      held: withFences(own?.shards ?? [], table),
      replicas,
      isDrained: own?.isDrained ?? false,
      ...(own && others.length > 0 ? { nextExpiryMs: ttlMs + msToFirstEnd(own, others) } : {}),
    };
  }

  /** Takes up to `limit` free shards, each with a new fence. Shards in `except` are left to others. */
  async acquire(
    replicaId: string,
    limit: number,
    ttlMs: number,
    except: readonly number[] = [],
  ): Promise<readonly HeldShard[]> {
    if (limit <= 0) return [];
    const table = await this.#change(stages.takeShards(replicaId, ttlMs, { limit, except }));
    const taken = table.replicas.find(({ id }) => id === replicaId)?.taken ?? [];
    return withFences(taken, table);
  }

  /** Frees the shards that the replica still holds with the same fence. */
  async release(replicaId: string, held: readonly HeldShard[]): Promise<void> {
    if (held.length === 0) return;
    await this.#leases.updateOne({ _id }, stages.freeShards(replicaId, held));
  }

  /** Ends the lease of a replica that is stopping. */
  async withdraw(replicaId: string): Promise<void> {
    await this.#leases.updateOne({ _id }, { $pull: { replicas: { id: replicaId } } });
  }

  /** Drains a replica or resumes it; returns false if there is none with this id. */
  async setDrained(replicaId: string, isDrained: boolean): Promise<boolean> {
    const { matchedCount } = await this.#leases.updateOne(
      { _id, 'replicas.id': replicaId },
      { $set: { 'replicas.$.isDrained': isDrained } },
    );
    return matchedCount === 1;
  }

  /** Returns all shards and replicas, including replicas whose leases have expired but have not been dropped yet. */
  async survey(): Promise<ShardSurvey> {
    const { fences = [], replicas = [] } = (await this.#leases.findOne({ _id })) ?? {};
    const holders = new Map(replicas.flatMap(({ id, shards }) => shards.map((each) => [each, id])));
    return {
      shards: fences.map((fence, shard) => ({ shard, fence, replicaId: holders.get(shard) })),
      replicas: replicas.map(({ id, shards, expiresAt, isLeaving, isDrained = false }) => ({
        id,
        shards: shards.length,
        expiresAt,
        isLeaving,
        isDrained,
      })),
    };
  }

  /**
   * Not a retryable write: for each of those MongoDB stores a copy of the whole response, and each replica sends this
   * command every second. After a lost response the next renewal shows whether the change was made.
   */
  async #change(update: Document[]): Promise<LeaseDocument> {
    const { value: changed } = (await this.db.command({
      findAndModify: collection,
      query: { _id },
      update,
      new: true,
      writeConcern: { w: 'majority', j: true },
    })) as { readonly value: LeaseDocument | null };
    if (!changed) throw new Error('there are no shards yet');
    return changed;
  }
}

/** Returns the time from the end of a lease to the earliest end of `others`; negative if one of them ends first. */
function msToFirstEnd({ expiresAt }: ReplicaLease, others: readonly ReplicaLease[]): number {
  return Math.min(...others.map((other) => other.expiresAt.getTime())) - expiresAt.getTime();
}

function withFences(shards: readonly number[], { fences }: LeaseDocument): HeldShard[] {
  return shards.map((shard) => ({ shard, fence: fences[shard] ?? 0 }));
}
