import type { Collection, Db } from 'mongodb';
import type { Trust } from '@daycare/api';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import { lowestForeign } from './lowest-foreign';

/**
 * Describes a program that is running on a user's files, or was running when its replica died. One combined trace per
 * user describes all programs that have ended but whose changes have not been marked yet; its times are the start times
 * of the program that started first.
 */
export interface ProgramTrace {
  readonly id: string;
  readonly userId: string;
  /** The lowest trust among the turn and the files that the program could read when it started. */
  readonly trust: Trust;
  /** When the program started, by the file system's clock, in milliseconds. */
  readonly startedMs: number;
  /** The inodes of the files that contained foreign text when the program started. */
  readonly foreignInodes: readonly number[];
  /** When the program started, by the database's clock. */
  readonly startedAt: Date;
  /** Only in the combined trace of ended programs: the id of the program that ended last. */
  readonly lastEnded?: string;
}

/** A trace as it is listed, without its inodes, of which there may be tens of thousands. */
export type ListedTrace = Omit<ProgramTrace, 'foreignInodes'>;

interface TraceDocument extends Omit<ProgramTrace, 'id'> {
  readonly _id: string;
}

const collection = 'program_traces';

export const programTraceIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'user', key: { userId: 1 } }],
};

/** Stores which programs may be changing users' files. */
export class ProgramTraceStore {
  readonly #traces: Collection<TraceDocument>;

  constructor(db: Db) {
    this.#traces = db.collection(collection);
  }

  /** Stores a trace. Storing it again replaces everything except `startedAt`. */
  async begin({ id: _id, ...fields }: Omit<ProgramTrace, 'startedAt'>): Promise<ProgramTrace> {
    const found = await this.#traces.findOneAndUpdate(
      { _id },
      [{ $set: { ...fields, startedAt: { $ifNull: ['$startedAt', '$$NOW'] } } }],
      { upsert: true, returnDocument: 'after' },
    );
    if (!found) throw new Error('an upsert returned nothing');
    return toTrace(found);
  }

  async list(userId: string): Promise<ListedTrace[]> {
    const found = this.#traces.find<Omit<TraceDocument, 'foreignInodes'>>(
      { userId },
      { projection: { foreignInodes: 0 } },
    );
    return (await found.toArray()).map(({ _id: id, ...fields }) => ({ id, ...fields }));
  }

  async find(id: string): Promise<ProgramTrace | undefined> {
    const found = await this.#traces.findOne({ _id: id });
    return found ? toTrace(found) : undefined;
  }

  /** Removes the trace of a program that cannot have written foreign text. */
  async end(id: string): Promise<void> {
    await this.#traces.deleteOne({ _id: id });
  }

  /** Adds a program that may have written text of this trust to the trace of its user's ended programs. */
  async addToEnded({ id, userId, ...trace }: ProgramTrace, trust: Trust): Promise<void> {
    const { startedMs, startedAt, foreignInodes } = trace;
    const fields = {
      userId,
      trust: lowestForeign(trust),
      startedMs: { $min: ['$startedMs', startedMs] },
      startedAt: { $min: ['$startedAt', startedAt] },
      foreignInodes: { $setUnion: [{ $ifNull: ['$foreignInodes', []] }, foreignInodes] },
      lastEnded: id,
    };
    const _id = endedId(userId);
    await retryOnDuplicateKey(() =>
      this.#traces.updateOne({ _id }, [{ $set: fields }], { upsert: true }),
    );
    await this.#traces.deleteOne({ _id: id });
  }

  findEnded(userId: string): Promise<ProgramTrace | undefined> {
    return this.find(endedId(userId));
  }

  /** Removes the trace of ended programs, unless another program has ended since the trace was read. */
  async removeEnded({ id, lastEnded }: ProgramTrace): Promise<void> {
    await this.#traces.deleteOne({ _id: id, ...(lastEnded ? { lastEnded } : {}) });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#traces.deleteMany({ userId });
  }
}

function endedId(userId: string): string {
  return `ended/${userId}`;
}

function toTrace({ _id: id, ...fields }: TraceDocument): ProgramTrace {
  return { id, ...fields };
}
