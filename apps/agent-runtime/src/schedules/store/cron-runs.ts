import type { Collection, Db } from 'mongodb';
import { appendRequest } from '@daycare/mongo';
import type { Run, RunEnding } from '../domain/run';
import type { Cron } from '../domain/schedule';
import { cronCollection, toCron, type CronChange, type CronDocument } from './cron-document';
import type { ManualTick } from './firing-rows';

/** A cron while one of its ticks is in progress. */
export interface CronInProgress {
  readonly cron: Cron;
  /** Present when the run was requested. */
  readonly manual: ManualTick | undefined;
  readonly revision: number | undefined;
}

/**
 * Reads and writes crons' runs: those that have not ended, and the newest ended ones with their outcomes. Runs are
 * stored in their cron's document.
 */
export class CronRuns {
  readonly #crons: Collection<CronDocument>;

  constructor(db: Db) {
    this.#crons = db.collection(cronCollection);
  }

  /** Finds a cron whose tick is in progress; returns undefined when that tick is no longer in progress. */
  async findInProgress(
    { userId, id }: Pick<Cron, 'userId' | 'id'>,
    tick: Date,
  ): Promise<CronInProgress | undefined> {
    const row = await this.#crons.findOne({ _id: id, userId, firing: tick });
    return row ? { cron: toCron(row), manual: row.manual, revision: row.revision } : undefined;
  }

  /**
   * Stores the decision on the tick in progress; returns false when the cron's runs have changed since they were read,
   * or the tick is no longer in progress.
   */
  async save(
    { cron: { id, userId }, revision }: CronInProgress,
    tick: Date,
    runs: readonly Run[],
  ): Promise<boolean> {
    const { matchedCount } = await this.#crons.updateOne(
      { _id: id, userId, firing: tick, revision: revision ?? { $exists: false } },
      { $set: { runs: [...runs] }, $inc: { revision: 1 } },
    );
    return matchedCount === 1;
  }

  /**
   * Claims a requested run, as if a tick were due; returns false when a tick is in progress, when the request was
   * applied before, or when there is no such cron.
   */
  async claim({ userId, cronId, requestId }: CronChange, at: Date, manual: ManualTick) {
    const changedBy = appendRequest('changedBy', requestId);
    const isFree = { firing: { $exists: false }, changedBy: { $ne: requestId } };
    const { matchedCount } = await this.#crons.updateOne(
      { _id: cronId, userId, slot: { $exists: true }, ...isFree },
      [{ $set: { firing: at, manual: { $literal: manual }, changedBy } }],
    );
    return matchedCount === 1;
  }

  /**
   * Records how a run has ended, unless that is recorded already, and returns the stored cron, or undefined if it has
   * been deleted. A fired `once` cron that gave up its slot to another cron is still returned.
   */
  async end(
    { userId, id }: Pick<Cron, 'userId' | 'id'>,
    runId: string,
    { outcome, endedAt, reason }: RunEnding,
  ): Promise<Cron | undefined> {
    const isKept = { _id: id, userId, deletedBy: { $exists: false } };
    const ended = await this.#crons.findOneAndUpdate(
      { ...isKept, runs: { $elemMatch: { id: runId, outcome: 'running' } } },
      {
        $set: {
          'runs.$.outcome': outcome,
          'runs.$.endedAt': endedAt,
          ...(reason === undefined ? {} : { 'runs.$.reason': reason }),
        },
        $inc: { revision: 1 },
      },
      { returnDocument: 'after' },
    );
    const row = ended ?? (await this.#crons.findOne(isKept));
    return row ? toCron(row) : undefined;
  }
}
