import type { Collection, Db, Document } from 'mongodb';
import {
  outboxCollection,
  receiptsCollection,
  type OutboxReceipt,
  type OutboxRow,
} from './outbox-row';

/** What a consumer says became of a message. */
export interface Outcome {
  readonly id: string;
  readonly outcome: 'delivered' | 'dead';
  readonly reason?: string;
}

export interface SettledRow extends Outcome {
  readonly lane: string;
  readonly acceptedAt: Date;
}

export interface QueueTiming {
  /** How long a published row waits for its receipt; doubles with every publication. */
  readonly republishAfterMs: number;
  readonly maxRepublishAfterMs: number;
  readonly receiptTtlMs: number;
}

/** Which heads are due: those whose time has come, and those published before `republishBefore`. */
export interface Due {
  readonly now: Date;
  readonly republishBefore: Date;
}

/** Losing a claim to a failover means publishing twice, which is harmless; so nobody waits for it. */
const claimConcern = { writeConcern: { w: 1, journal: false } } as const;

/** The relay's side of the outbox: finds what to publish and removes what was receipted. */
export class OutboxQueue {
  readonly #rows: Collection<OutboxRow>;
  readonly #receipts: Collection<OutboxReceipt>;

  constructor(
    db: Db,
    private readonly timing: QueueTiming,
  ) {
    this.#rows = db.collection(outboxCollection);
    this.#receipts = db.collection(receiptsCollection);
  }

  /**
   * The ids of the due heads of the given lanes, or of all. Reads only what a majority has: a row
   * that could still be rolled back must not be heard of.
   */
  async *findDueHeads(due: Due, lanes?: readonly string[]): AsyncGenerator<string> {
    const heads = this.#rows.aggregate<{ id: string }>(
      [
        ...(lanes ? [{ $match: { lane: { $in: lanes } } }] : []),
        { $sort: { lane: 1, seq: 1 } },
        {
          $group: {
            _id: '$lane',
            id: { $first: '$_id' },
            nextAttemptAt: { $first: '$nextAttemptAt' },
            publishedAt: { $first: '$publishedAt' },
          },
        },
        { $match: matchDue(due) },
        { $project: { _id: 0, id: 1 } },
      ],
      { readConcern: { level: 'majority' }, batchSize: 256 },
    );
    for await (const { id } of heads) yield id;
  }

  /** Takes those rows that are still due, so that other relays leave them alone for a while. */
  async claim(ids: readonly string[], due: Due, claim: string): Promise<readonly OutboxRow[]> {
    const chosen = { _id: { $in: [...ids] } };
    const { modifiedCount } = await this.#rows.updateMany(
      { ...chosen, ...matchDue(due) },
      [{ $set: this.#claimed(due, claim) }],
      claimConcern,
    );
    if (modifiedCount === 0) return [];
    return this.#rows.find({ ...chosen, claim }, { readConcern: { level: 'local' } }).toArray();
  }

  /** Gives back rows that could not be published, to be tried again at `nextAttemptAt`. */
  async release(ids: readonly string[], claim: string, nextAttemptAt: Date): Promise<void> {
    await this.#rows.updateMany(
      { _id: { $in: [...ids] }, claim },
      { $set: { nextAttemptAt }, $inc: { publications: -1 } },
      claimConcern,
    );
  }

  /** Remembers what became of messages and removes their rows. Ids without a row are ignored. */
  async settle(outcomes: readonly Outcome[], now: Date): Promise<readonly SettledRow[]> {
    const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
    const rows = await this.#rows
      .find({ _id: { $in: [...byId.keys()] } })
      .project<Pick<OutboxRow, '_id' | 'lane' | 'acceptedAt' | 'senderUserId'>>({
        lane: 1,
        acceptedAt: 1,
        senderUserId: 1,
      })
      .toArray();
    if (rows.length === 0) return [];
    const settled = rows.flatMap((row) => {
      const outcome = byId.get(row._id);
      return outcome ? [{ ...row, ...outcome }] : [];
    });
    await this.#remember(settled, now);
    await this.#rows.deleteMany({ _id: { $in: settled.map(({ id }) => id) } });
    return settled;
  }

  /** The first outcome told is the one that stays. */
  async #remember(
    settled: readonly (SettledRow & { readonly senderUserId: string })[],
    at: Date,
  ): Promise<void> {
    const expiresAt = new Date(at.getTime() + this.timing.receiptTtlMs);
    await this.#receipts.bulkWrite(
      settled.map(({ id, outcome, reason, senderUserId, acceptedAt }) => ({
        updateOne: {
          filter: { _id: id },
          update: {
            $setOnInsert: {
              outcome,
              senderUserId,
              acceptedAt,
              at,
              expiresAt,
              ...(reason ? { reason } : {}),
            },
          },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  }

  /** After a reconnection the waits start anew, as if the row had never been published. */
  #claimed({ now, republishBefore }: Due, claim: string): Document {
    const isAnew = { $lt: ['$publishedAt', republishBefore] };
    const before = { $cond: [isAnew, 0, '$publications'] };
    const wait = { $multiply: [this.timing.republishAfterMs, { $pow: [2, before] }] };
    return {
      claim,
      publishedAt: now,
      publications: { $add: [before, 1] },
      nextAttemptAt: { $add: [now, { $min: [wait, this.timing.maxRepublishAfterMs] }] },
    };
  }
}

function matchDue({ now, republishBefore }: Due): Document {
  return {
    $or: [{ nextAttemptAt: { $lte: now } }, { publishedAt: { $lt: republishBefore } }],
  };
}
