import { Binary, type Collection, type Db, type Filter } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { DeadLetter } from '../domain/dead-letter';

interface DeadLetterDocument extends Omit<DeadLetter, 'id' | 'payload'> {
  readonly _id: string;
  readonly payload?: Binary;
  readonly expiresAt?: Date;
  /** The id of the request that deleted the letter; the letter's text, item and payload are erased. */
  readonly deletedBy?: string;
}

const collection = 'dead_letters';
const openFilter = { retriedBy: { $exists: false }, deletedBy: { $exists: false } };
const erasedFields = { text: 1, item: 1, payload: 1 } as const;
const rememberedMs = 8 * 24 * 60 * 60 * 1000;

export const deadLetterIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'user_newest', key: { userId: 1, deadAt: -1, _id: -1 } },
    { name: 'owner_newest', key: { ownerUserId: 1, deadAt: -1, _id: -1 } },
    { name: 'newest', key: { deadAt: -1, _id: -1 } },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** A user may read their own and their subusers' letters, an operator all letters. */
export type DeadLetterReader = { readonly userId: string } | 'operator';

export interface DeadLetterListing {
  readonly reader: DeadLetterReader;
  /** Empty for all agents. */
  readonly agentId: string;
  /** Limits the list to this user and its subusers; undefined for all dead letters that the reader may read. */
  readonly userId?: string | undefined;
  readonly after: { readonly deadAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Items and messages that were abandoned. */
export class DeadLetterStore {
  readonly #letters: Collection<DeadLetterDocument>;

  constructor(db: Db) {
    this.#letters = db.collection(collection);
  }

  /** Stores dead letters; those that are already stored stay unchanged. */
  async add(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const upserts = letters.map(({ id: _id, payload, ...fields }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $setOnInsert: {
            ...fields,
            ...(payload ? { payload: new Binary(payload) } : {}),
            expiresAt: monthAfter(fields.deadAt),
          },
        },
        upsert: true,
      },
    }));
    await this.#letters.bulkWrite(upserts, { ordered: false });
  }

  /** Returns the given ids that belong to dead letters, including retried and deleted ones. */
  async findIds(ids: readonly string[]): Promise<string[]> {
    const options = { projection: { _id: 1 } };
    const found = await this.#letters.find({ _id: { $in: [...ids] } }, options).toArray();
    return found.map(({ _id }) => _id);
  }

  /** Finds any user's dead letters that were not retried, including deleted ones: their messages stay abandoned. */
  async findMany(
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<DeadLetter, 'id' | 'reason'>>> {
    if (ids.length === 0) return new Map();
    const found = await this.#letters
      .find({ _id: { $in: [...ids] } }, { projection: { reason: 1, retriedBy: 1 } })
      .toArray();
    const abandoned = found.filter(({ retriedBy }) => retriedBy === undefined);
    return new Map(abandoned.map(({ _id: id, reason }) => [id, { id, reason }]));
  }

  /** Finds a dead letter that the reader may read, including one that was recently retried. */
  async findReadable(reader: DeadLetterReader, id: string): Promise<DeadLetter | undefined> {
    const found = await this.#letters.findOne({
      _id: id,
      ...visibleTo(reader),
      deletedBy: { $exists: false },
    });
    return found ? toLetter(found) : undefined;
  }

  /** Newest first. */
  async list(listing: DeadLetterListing): Promise<DeadLetter[]> {
    const { reader, agentId, userId, after, limit } = listing;
    const older = after && {
      $or: [{ deadAt: { $lt: after.deadAt } }, { deadAt: after.deadAt, _id: { $lt: after.id } }],
    };
    const agentFilter = agentId === '' ? {} : { agentId };
    const userFilter = userId === undefined ? {} : visibleTo({ userId });
    const found = await this.#letters
      .find({ $and: [visibleTo(reader), userFilter, openFilter, agentFilter, older ?? {}] })
      .sort({ deadAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toLetter);
  }

  /** Hides a retried letter and erases its content; the request that retried it is remembered for eight days. */
  async markRetried(id: string, requestId: string, now: Date): Promise<void> {
    const expiresAt = new Date(now.getTime() + rememberedMs);
    await this.#letters.updateOne(
      { _id: id, ...openFilter },
      { $set: { retriedBy: requestId, expiresAt }, $unset: erasedFields },
    );
  }

  /**
   * Deletes a dead letter that the reader may read, unless it was retried; returns false when there is none. Its id is
   * remembered for eight days: if the message arrives again, it stays abandoned, and a retry of the request returns
   * true.
   */
  async delete(
    reader: DeadLetterReader,
    id: string,
    { requestId, now }: { readonly requestId: string; readonly now: Date },
  ): Promise<boolean> {
    const expiresAt = new Date(now.getTime() + rememberedMs);
    const { matchedCount } = await this.#letters.updateOne(
      { _id: id, ...visibleTo(reader), ...openFilter },
      { $set: { deletedBy: requestId, expiresAt }, $unset: erasedFields },
    );
    if (matchedCount === 1) return true;
    const repeated = { _id: id, ...visibleTo(reader), deletedBy: requestId };
    return (await this.#letters.countDocuments(repeated, { limit: 1 })) === 1;
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#letters.deleteMany({ userId });
  }
}

function monthAfter(deadAt: Date): Date {
  return new Date(deadAt.getTime() + 30 * 24 * 60 * 60 * 1000);
}

function visibleTo(reader: DeadLetterReader): Filter<DeadLetterDocument> {
  if (reader === 'operator') return {};
  return { $or: [{ userId: reader.userId }, { ownerUserId: reader.userId }] };
}

function toLetter(document: DeadLetterDocument): DeadLetter {
  const { _id: id, payload, expiresAt: _end, deletedBy: _request, ...fields } = document;
  return { id, ...fields, payload: payload?.buffer };
}
