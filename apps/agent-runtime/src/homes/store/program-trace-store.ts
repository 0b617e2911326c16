import type { Collection, Db } from 'mongodb';
import type { Trust } from '@daycare/api';
import type { CollectionIndexes } from '@daycare/mongo';

/** A program that is running on a user's files, or was running when its replica died. */
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

  async end(id: string): Promise<void> {
    await this.#traces.deleteOne({ _id: id });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#traces.deleteMany({ userId });
  }
}

function toTrace({ _id: id, ...fields }: TraceDocument): ProgramTrace {
  return { id, ...fields };
}
