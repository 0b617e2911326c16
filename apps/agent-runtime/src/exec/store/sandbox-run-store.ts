import type { Collection, Db } from 'mongodb';
import { tryWrite, type CollectionIndexes } from '@daycare/mongo';
import type { Trust } from '@daycare/api';
import type { ProgramReport } from '../domain/program-end';

/** A started program and its outcome. */
export interface SandboxRun {
  /** Identifies the call; a retry finds the run by it. */
  readonly requestId: string;
  readonly userId: string;
  /** Derived from the requested program. */
  readonly fingerprint: string;
  readonly startedAt: Date;
  /** Absent while the program is running, and permanently if it was interrupted. */
  readonly report?: ProgramReport;
  /** The trust of the report, if it may contain text that is not the user's own. */
  readonly writtenBy?: Trust;
}

interface SandboxRunDocument extends Omit<SandboxRun, 'requestId'> {
  readonly _id: string;
}

const collection = 'sandbox_runs';
/** Longer than the time during which a call can be retried. */
const rememberedSeconds = 8 * 24 * 60 * 60;

export const sandboxRunIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'user', key: { userId: 1 } },
    { name: 'expiry', key: { startedAt: 1 }, expireAfterSeconds: rememberedSeconds },
  ],
};

/** Records which requests have started a program, so that a retry does not start it again. */
export class SandboxRunStore {
  readonly #runs: Collection<SandboxRunDocument>;

  constructor(db: Db) {
    this.#runs = db.collection(collection);
  }

  async find(userId: string, requestId: string): Promise<SandboxRun | undefined> {
    const found = await this.#runs.findOne({ _id: requestId, userId });
    if (!found) return undefined;
    const { _id, ...fields } = found;
    return { requestId: _id, ...fields };
  }

  /** Returns true to exactly one caller, which may then start the program. */
  async claim({ requestId: _id, ...fields }: Omit<SandboxRun, 'report'>): Promise<boolean> {
    const inserted = await tryWrite(() => this.#runs.insertOne({ _id, ...fields }));
    return inserted !== undefined;
  }

  async finish(
    { userId, requestId }: Pick<SandboxRun, 'userId' | 'requestId'>,
    {
      report,
      writtenBy,
    }: { readonly report: ProgramReport; readonly writtenBy?: Trust | undefined },
  ): Promise<void> {
    const outcome = { report, ...(writtenBy ? { writtenBy } : {}) };
    await this.#runs.updateOne({ _id: requestId, userId }, { $set: outcome });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#runs.deleteMany({ userId });
  }
}
