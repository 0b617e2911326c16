import { createId } from '@daycare/api/create-id';
import type { ClientSession, Collection, Db, MongoClient } from 'mongodb';
import { inTransaction, retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import type { Revocation } from '../domain/revocation';

/** A revocation with its place in the list. */
export interface PlacedRevocation extends Revocation {
  /** Higher than the positions of all earlier revocations. */
  readonly position: number;
}

/** The list of revocations, and the position of its last entry. */
export interface ListEnd {
  /** Different for each list; a position is meaningful only in its own list. */
  readonly listId: string;
  readonly position: number;
}

interface RevocationDocument {
  readonly _id: string;
  readonly expiresAt: Date;
  readonly position: number;
  readonly issuedBefore?: Date;
  readonly ownerId?: string;
}

interface EndDocument {
  readonly _id: 'end';
  readonly listId: string;
  readonly position: number;
}

const collection = 'revocations';
const endCollection = 'revocations_end';
const endId = 'end' as const;
const marginMs = 60_000;

export const revocationIndexes: readonly CollectionIndexes[] = [
  {
    collection,
    // Revocations are read in the order of their positions, which a single document assigns.
    shardKey: 'unsharded',
    indexes: [
      { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
      { name: 'position', key: { position: 1 } },
      { name: 'owner', key: { ownerId: 1, expiresAt: 1 }, sparse: true },
    ],
  },
  { collection: endCollection, shardKey: 'unsharded', indexes: [] },
];

/**
 * Stores revocations in the order in which they become visible. Each transaction that adds some moves the end of the
 * list, so such transactions commit one after the other, and a reader that has read up to a position has missed
 * nothing before it.
 */
export class RevocationStore {
  readonly #client: MongoClient;
  readonly #revocations: Collection<RevocationDocument>;
  readonly #ends: Collection<EndDocument>;

  constructor(db: Db) {
    this.#client = db.client;
    this.#revocations = db.collection<RevocationDocument>(collection);
    this.#ends = db.collection<EndDocument>(endCollection);
  }

  /** Creates the list if it does not exist. Must be called before anything else. */
  async open(): Promise<void> {
    const first = { $setOnInsert: { listId: createId(), position: 0 } };
    await retryOnDuplicateKey(() => this.#ends.updateOne({ _id: endId }, first, { upsert: true }));
  }

  /**
   * Adds revocations, keeping them a minute longer than requested, because verifiers tolerate clock differences. In a
   * transaction, call this last: from this write until the transaction ends, all other transactions that add
   * revocations conflict with it and have to be repeated.
   */
  async add(revocations: readonly Revocation[], session?: ClientSession): Promise<void> {
    if (revocations.length === 0) return;
    if (session) await this.#add(revocations, session);
    else await inTransaction(this.#client, (own) => this.#add(revocations, own));
  }

  async #add(revocations: readonly Revocation[], session: ClientSession): Promise<void> {
    const invalid = revocations.find(({ expiresAt }) => !Number.isFinite(expiresAt.getTime()));
    if (invalid) throw new Error(`the revocation of ${invalid.id} has no valid expiry time`);
    const moved = await this.#ends.findOneAndUpdate(
      { _id: endId },
      { $inc: { position: revocations.length } },
      { session, returnDocument: 'after' },
    );
    if (!moved) throw new Error('the list of revocations does not exist');
    const before = moved.position - revocations.length;
    await this.#revocations.bulkWrite(
      revocations.map(({ id: _id, expiresAt, issuedBefore, ...rest }, index) => ({
        updateOne: {
          filter: { _id },
          update: {
            $set: { ...rest, position: before + index + 1 },
            $max: {
              expiresAt: new Date(expiresAt.getTime() + marginMs),
              ...(issuedBefore && { issuedBefore }),
            },
          },
          upsert: true,
        },
      })),
      { session },
    );
  }

  async findEnd(): Promise<ListEnd> {
    const found = await this.#ends.findOne({ _id: endId });
    if (!found) throw new Error('the list of revocations does not exist');
    return found;
  }

  /** Lists the revocations after a position, in order. */
  async listAfter(position: number, limit: number): Promise<PlacedRevocation[]> {
    const found = await this.#revocations
      .find({ position: { $gt: position } })
      .sort({ position: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id: id, ...rest }) => ({ id, ...rest }));
  }

  /** Counts an owner's revocations that have not expired, up to `limit`. */
  async countByOwner(ownerId: string, now: Date, limit: number): Promise<number> {
    return this.#revocations.countDocuments({ ownerId, expiresAt: { $gt: now } }, { limit });
  }
}
