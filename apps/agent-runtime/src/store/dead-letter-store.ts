import { Binary, type Collection, type Db, type Filter } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { DeadLetter } from '../domain/dead-letter';

interface DeadLetterDocument extends Omit<DeadLetter, 'id' | 'payload'> {
  readonly _id: string;
  readonly payload?: Binary;
  readonly expiresAt?: Date;
}

const collection = 'dead_letters';
const notRetried = { retriedBy: { $exists: false } };
const rememberedMs = 8 * 24 * 60 * 60 * 1000;

export const deadLetterIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'user_newest', key: { userId: 1, deadAt: -1, _id: -1 } },
    { name: 'owner_newest', key: { ownerUserId: 1, deadAt: -1, _id: -1 } },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** Who asks: a user for its own and its subusers', an operator for what fitted nobody. */
export type LetterReader = { readonly userId: string } | 'operator';

export interface LetterListing {
  readonly reader: LetterReader;
  readonly agentId: string;
  readonly after: { readonly deadAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** What was given up. */
export class DeadLetterStore {
  readonly #letters: Collection<DeadLetterDocument>;

  constructor(db: Db) {
    this.#letters = db.collection(collection);
  }

  /** Keeps letters; one that is kept already stays as it is. */
  async add(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const upserts = letters.map(({ id: _id, payload, ...fields }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $setOnInsert: {
            ...fields,
            ...(payload ? { payload: new Binary(payload) } : {}),
            ...(fields.userId === '' ? { expiresAt: monthAfter(fields.deadAt) } : {}),
          },
        },
        upsert: true,
      },
    }));
    await this.#letters.bulkWrite(upserts, { ordered: false });
  }

  /** A letter whoever may see it, to recognise a message that was given up and not put back. */
  async find(id: string): Promise<DeadLetter | undefined> {
    const found = await this.#letters.findOne({ _id: id, ...notRetried });
    return found ? toLetter(found) : undefined;
  }

  /** Also one that was put back of late. */
  async findFor(reader: LetterReader, id: string): Promise<DeadLetter | undefined> {
    const found = await this.#letters.findOne({ _id: id, ...visibleTo(reader) });
    return found ? toLetter(found) : undefined;
  }

  /** Newest first. */
  async list({ reader, agentId, after, limit }: LetterListing): Promise<DeadLetter[]> {
    const older = after && {
      $or: [{ deadAt: { $lt: after.deadAt } }, { deadAt: after.deadAt, _id: { $lt: after.id } }],
    };
    const ofAgent = agentId === '' ? {} : { agentId };
    const found = await this.#letters
      .find({ $and: [visibleTo(reader), notRetried, ofAgent, older ?? {}] })
      .sort({ deadAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toLetter);
  }

  /** It was put back: nobody sees it any more, but the request that did it is remembered. */
  async markRetried(id: string, retriedBy: string, now: Date): Promise<void> {
    const expiresAt = new Date(now.getTime() + rememberedMs);
    await this.#letters.updateOne(
      { _id: id, ...notRetried },
      { $set: { retriedBy, expiresAt }, $unset: { text: 1, item: 1, payload: 1 } },
    );
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#letters.deleteMany({ userId });
  }
}

/** What fitted no user belongs to nobody who could delete it. */
function monthAfter(deadAt: Date): Date {
  return new Date(deadAt.getTime() + 30 * 24 * 60 * 60 * 1000);
}

function visibleTo(reader: LetterReader): Filter<DeadLetterDocument> {
  if (reader === 'operator') return { userId: '' };
  return { $or: [{ userId: reader.userId }, { ownerUserId: reader.userId }] };
}

function toLetter({ _id: id, payload, expiresAt: _, ...fields }: DeadLetterDocument): DeadLetter {
  return { id, ...fields, payload: payload?.buffer };
}
