import type { Collection, Db, Document } from 'mongodb';
import { invalidField } from '@daycare/api';
import { tryWrite, type CollectionIndexes } from '@daycare/mongo';
import { isUserId } from '../domain/home-path';
import type { HomeSize, Reservation } from '../domain/home-size';

/** A part of an owner's usage: one kind of data for one user. */
export interface HomePart {
  readonly ownerId: string;
  readonly userId: string;
  /** Omitted for the user's directory. */
  readonly kind?: 'uploads' | undefined;
}

/** The stored usage of one part. */
export interface HomeUsage {
  /** Including reservations. */
  readonly usedBytes: number;
  /**
   * Including reservations; Infinity when there were too many to count, so that all writes are refused until a
   * measurement can count them.
   */
  readonly usedEntries: number;
  /** Increases each time a change begins and each time the part is measured. */
  readonly version: number;
  readonly pending: readonly Reservation[];
}

interface OwnerDocument {
  /** The owner's id. */
  readonly _id: string;
  /** The sums of all parts. */
  readonly usedBytes: number;
  readonly usedEntries: number;
  /** The parts by user and kind. */
  readonly parts: Readonly<Record<string, HomeUsage>>;
  /** The users who have at least one part. */
  readonly members: readonly string[];
}

/** The outcome of a change. */
export interface Settlement {
  readonly id: string;
  /** The part's version when the change began. */
  readonly version: number;
  /** Reserved but not used. */
  readonly unused: HomeSize;
  /** What the change replaced or deleted; released only if no other change began in the meantime. */
  readonly freed: HomeSize;
}

const collection = 'homes';
const kinds = [undefined, 'uploads'] as const;

export const homeIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'member', key: { members: 1 } }],
};

type CountedUsage = Pick<HomeUsage, 'usedBytes' | 'usedEntries' | 'pending'>;

const sumOf = (field: keyof HomeUsage): Document => ({
  $sum: { $map: { input: { $objectToArray: '$parts' }, in: `$$this.v.${field}` } },
});
/** The last stage of every update pipeline that changes a part. */
const totals = { $set: { usedBytes: sumOf('usedBytes'), usedEntries: sumOf('usedEntries') } };

/**
 * Stores how much space the directories and uploads of owners and their subusers take up, in one document per owner. A
 * crash can make the stored usage too high, never too low.
 */
export class HomeStore {
  readonly #homes: Collection<OwnerDocument>;

  constructor(db: Db) {
    this.#homes = db.collection(collection);
  }

  /** Returns the usage of one part; undefined when the part has not been measured. */
  async find(part: HomePart): Promise<HomeUsage | undefined> {
    return usageOf(await this.#homes.findOne({ _id: part.ownerId }), part);
  }

  /** Returns the total usage of an owner's parts; undefined unless this part has been measured. */
  async findTotal(part: HomePart): Promise<HomeSize | undefined> {
    const found = await this.#homes.findOne({ _id: part.ownerId });
    if (!found || !usageOf(found, part)) return undefined;
    return { bytes: found.usedBytes, entries: found.usedEntries };
  }

  /** Lists all parts that are counted for an owner. */
  async listParts(ownerId: string): Promise<HomePart[]> {
    const found = await this.#homes.findOne({ _id: ownerId });
    return (found?.members ?? [])
      .flatMap((userId) => kinds.map((kind) => ({ ownerId, userId, kind })))
      .filter((part) => usageOf(found, part));
  }

  /**
   * Reserves space for a change; returns the part's new version, or undefined when there is too little space or the
   * usage is unknown.
   */
  async reserve(
    part: HomePart,
    reservation: Reservation,
    limits: HomeSize,
  ): Promise<number | undefined> {
    const { bytes, entries } = reservation;
    const field = `parts.${keyOf(part)}`;
    const found = await this.#homes.findOneAndUpdate(
      {
        _id: part.ownerId,
        [field]: { $exists: true },
        usedBytes: { $lte: limits.bytes - bytes },
        usedEntries: { $lte: limits.entries - entries },
      },
      {
        $inc: {
          usedBytes: bytes,
          usedEntries: entries,
          [`${field}.usedBytes`]: bytes,
          [`${field}.usedEntries`]: entries,
          [`${field}.version`]: 1,
        },
        $push: { [`${field}.pending`]: reservation },
      },
      { returnDocument: 'after', projection: { [field]: 1 } },
    );
    return usageOf(found, part)?.version;
  }

  /**
   * Ends a change: releases the space that it reserved but did not use, and the space that it freed. Two concurrent
   * changes may both appear to replace the same file, so freed space is released only if no other change has begun
   * since. Releases nothing and returns false if a measurement has dropped the reservation.
   */
  async settle(part: HomePart, settlement: Settlement): Promise<boolean> {
    const { id, version, unused, freed } = settlement;
    const field = `parts.${keyOf(part)}`;
    const isLast = { $eq: [`$${field}.version`, version] };
    const leftOf = (name: string, kind: keyof HomeSize) => {
      const back = { $add: [unused[kind], { $cond: [isLast, freed[kind], 0] }] };
      return { $max: [0, { $subtract: [`$${field}.${name}`, back] }] };
    };
    const others = { $filter: { input: `$${field}.pending`, cond: { $ne: ['$$this.id', id] } } };
    const underWay = { _id: part.ownerId, [`${field}.pending.id`]: id };
    const { matchedCount } = await this.#homes.updateOne(underWay, [
      {
        $set: {
          [`${field}.usedBytes`]: leftOf('usedBytes', 'bytes'),
          [`${field}.usedEntries`]: leftOf('usedEntries', 'entries'),
          [`${field}.pending`]: others,
        },
      },
      totals,
    ]);
    return matchedCount === 1;
  }

  /**
   * Stores a measurement, unless a change has begun or ended since `known` was read. Returns whether it was stored.
   */
  async recount(
    part: HomePart,
    known: HomeUsage | undefined,
    counted: CountedUsage,
  ): Promise<boolean> {
    const field = `parts.${keyOf(part)}`;
    const unchanged = known
      ? {
          [`${field}.version`]: known.version,
          [`${field}.pending`]: { $size: known.pending.length },
        }
      : { [field]: { $exists: false } };
    const measured = { ...counted, version: (known?.version ?? 0) + 1 };
    const members = { $setUnion: [{ $ifNull: ['$members', []] }, [part.userId]] };
    const recorded = await tryWrite(() =>
      this.#homes.updateOne(
        { _id: part.ownerId, ...unchanged },
        [{ $set: { [field]: { $literal: measured }, members } }, totals],
        { upsert: !known },
      ),
    );
    return recorded !== undefined && recorded.matchedCount + recorded.upsertedCount === 1;
  }

  /**
   * Removes a deleted user's parts, which frees their space for the user's owner; removes the whole document of a user
   * that is itself an owner.
   */
  async deleteByUser(userId: string): Promise<void> {
    const others = { $filter: { input: '$members', cond: { $ne: ['$$this', userId] } } };
    await this.#homes.updateMany({ members: userId }, [
      { $set: { members: others } },
      { $unset: [`parts.${keyOf({ userId })}`, `parts.${keyOf({ userId, kind: 'uploads' })}`] },
      totals,
    ]);
    await this.#homes.deleteOne({ _id: userId });
  }
}

function usageOf(found: OwnerDocument | null, part: HomePart): HomeUsage | undefined {
  const key = keyOf(part);
  return found && Object.hasOwn(found.parts, key) ? found.parts[key] : undefined;
}

/** Returns a part's key. The key becomes a field name in the document, so the id is checked once more. */
function keyOf({ userId, kind }: Pick<HomePart, 'userId' | 'kind'>): string {
  if (!isUserId(userId)) throw invalidField('user_id', 'is not a valid id');
  return kind ? `${userId}-${kind}` : userId;
}
