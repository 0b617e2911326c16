import { randomInt } from 'node:crypto';
import { AppError } from '@daycare/errors';
import { inTransaction, violatedIndex } from '@daycare/mongo';
import type { ClientSession, Collection, Db, Document } from 'mongodb';
import { toRow, type MessageDraft, type UnplacedRow } from './message-draft';
import {
  outboxCollection,
  receiptsCollection,
  type OutboxReceipt,
  type OutboxRow,
} from './outbox-row';

export interface AppendResult {
  readonly id: string;
  /** `duplicate`: the id was accepted before and nothing was stored now. */
  readonly outcome: 'accepted' | 'duplicate';
}

/** What became of a message; `senderUserId` says who may know. */
export type MessageStatus =
  | ({ readonly state: 'accepted' } & AcceptedMessage)
  | ({ readonly state: 'delivered'; readonly at: Date } & AcceptedMessage)
  | ({ readonly state: 'dead'; readonly at: Date; readonly reason: string } & AcceptedMessage)
  | { readonly state: 'unknown' };

interface AcceptedMessage {
  readonly senderUserId: string;
  readonly acceptedAt: Date;
}

interface LaneSeq {
  readonly _id: string;
  readonly seq: number;
}

interface Known {
  readonly ids: ReadonlySet<string>;
  readonly highestSeqs: ReadonlyMap<string, number>;
}

const maxPlacings = 10;
const pretenceMs = 24 * 60 * 60 * 1000;
/** Concurrent appends to a lane choose different places in this range, so they hardly ever collide. */
const seqStride = 2 ** 20;

/**
 * Where a service puts what others shall hear. A message is accepted, and will reach its recipient
 * or the dead letters, once `append` has resolved or the transaction it was part of has committed.
 */
export class OutboxStore {
  readonly #db: Db;
  readonly #rows: Collection<OutboxRow>;
  readonly #receipts: Collection<OutboxReceipt>;

  /** `source` is the service's name; receipts come back to it. */
  constructor(
    db: Db,
    readonly source: string,
  ) {
    this.#db = db;
    this.#rows = db.collection(outboxCollection);
    this.#receipts = db.collection(receiptsCollection);
  }

  /**
   * Stores all drafts or none; those of one lane will be handled in the order given. Wake the relay
   * with their lanes afterwards. Inside a transaction a lost race ends it with CONFLICT: run it again.
   */
  async append(
    drafts: readonly MessageDraft[],
    session?: ClientSession,
  ): Promise<readonly AppendResult[]> {
    const rows = drafts.map((draft) => toRow(draft, this.source, new Date()));
    if (session) return this.#place(rows, session);
    if (rows.length === 1) return againOnConflict(() => this.#place(rows));
    return againOnConflict(() => inTransaction(this.#db.client, (own) => this.#place(rows, own)));
  }

  /**
   * Does the work of `append` for messages that nobody is to hear: a caller cannot tell by the time it
   * takes whether its message goes out. They are remembered as delivered, for a day.
   */
  async pretend(drafts: readonly MessageDraft[], session: ClientSession): Promise<void> {
    const at = new Date();
    const rows = drafts.map((draft) => toRow(draft, this.source, at));
    await this.#look(rows, session);
    const expiresAt = new Date(at.getTime() + pretenceMs);
    await this.#receipts.insertMany(
      rows.map(({ _id, senderUserId, acceptedAt }) => ({
        _id,
        outcome: 'delivered' as const,
        senderUserId,
        acceptedAt,
        at,
        expiresAt,
      })),
      { session },
    );
  }

  /** What became of a message; `unknown` also once its receipt has expired. */
  async status(id: string): Promise<MessageStatus> {
    const projection = { senderUserId: 1, acceptedAt: 1 };
    const row = await this.#rows.findOne({ _id: id }, { projection });
    if (row)
      return { state: 'accepted', senderUserId: row.senderUserId, acceptedAt: row.acceptedAt };
    // The receipt is stored before the row goes, so it can be missed only in the other order.
    const receipt = await this.#receipts.findOne({ _id: id });
    return receipt ? statusOf(receipt) : { state: 'unknown' };
  }

  /** How much waits for a receipt, and since when, for metrics. */
  async backlog(): Promise<{ readonly rows: number; readonly oldestAcceptedAt?: Date }> {
    const rows = await this.#rows.estimatedDocumentCount();
    const oldest = await this.#rows
      .find({}, { projection: { acceptedAt: 1 } })
      .sort({ acceptedAt: 1 })
      .limit(1)
      .next();
    return { rows, ...(oldest ? { oldestAcceptedAt: oldest.acceptedAt } : {}) };
  }

  async #place(
    rows: readonly UnplacedRow[],
    session?: ClientSession,
  ): Promise<readonly AppendResult[]> {
    const known = await this.#look(rows, session);
    const seen = new Set(known.ids);
    const fresh = rows.filter(({ _id }) => !seen.has(_id) && seen.add(_id));
    if (fresh.length > 0) await this.#insert(giveSeqs(fresh, known.highestSeqs), session);
    const accepted = new Set(fresh);
    return rows.map((row) => ({
      id: row._id,
      outcome: accepted.has(row) ? 'accepted' : 'duplicate',
    }));
  }

  /** One round trip, also inside a transaction, where reads cannot run side by side. */
  async #look(rows: readonly UnplacedRow[], session?: ClientSession): Promise<Known> {
    const [found] = await this.#db
      .aggregate<{ known: { _id: string }[]; receipted: { _id: string }[]; lanes: LaneSeq[] }>(
        lookUp(rows),
        session ? { session } : {},
      )
      .toArray();
    const { known = [], receipted = [], lanes = [] } = found ?? {};
    return {
      ids: new Set([...known, ...receipted].map(({ _id }) => _id)),
      highestSeqs: new Map(lanes.map(({ _id, seq }) => [_id, seq])),
    };
  }

  async #insert(rows: readonly OutboxRow[], session?: ClientSession): Promise<void> {
    try {
      await this.#rows.insertMany([...rows], session ? { session } : {});
    } catch (error) {
      if (violatedIndex(error) === undefined) throw error;
      throw new AppError(
        'CONFLICT',
        'Another message was accepted at the same moment',
        {},
        {
          cause: error,
        },
      );
    }
  }
}

/** Rows before receipts, as in `status`. */
function lookUp(rows: readonly UnplacedRow[]): Document[] {
  const byId = [{ $match: { _id: { $in: rows.map(({ _id }) => _id) } } }, { $project: { _id: 1 } }];
  const highestSeqs = [
    { $match: { lane: { $in: [...new Set(rows.map(({ lane }) => lane))] } } },
    { $sort: { lane: -1, seq: -1 } },
    { $group: { _id: '$lane', seq: { $first: '$seq' } } },
  ];
  return [
    { $documents: [{}] },
    { $lookup: { from: outboxCollection, pipeline: byId, as: 'known' } },
    { $lookup: { from: receiptsCollection, pipeline: byId, as: 'receipted' } },
    { $lookup: { from: outboxCollection, pipeline: highestSeqs, as: 'lanes' } },
  ];
}

/**
 * A row goes behind every row of its lane that was there before. Rows leave only when their message
 * has been handled, so a lane that has run empty may start again at any number.
 */
function giveSeqs(
  rows: readonly UnplacedRow[],
  highestSeqs: ReadonlyMap<string, number>,
): OutboxRow[] {
  const next = new Map<string, number>();
  return rows.map((row) => {
    const seq = next.get(row.lane) ?? (highestSeqs.get(row.lane) ?? 0) + randomInt(1, seqStride);
    next.set(row.lane, seq + 1);
    return { ...row, seq };
  });
}

function statusOf({ outcome, senderUserId, acceptedAt, at, reason }: OutboxReceipt): MessageStatus {
  const facts = { senderUserId, acceptedAt, at };
  if (outcome === 'delivered') return { state: 'delivered', ...facts };
  return { state: 'dead', ...facts, reason: reason ?? '' };
}

async function againOnConflict<T>(place: () => Promise<T>): Promise<T> {
  for (let placing = 1; ; placing++) {
    try {
      return await place();
    } catch (error) {
      const lostRace = error instanceof AppError && error.code === 'CONFLICT';
      if (!lostRace || placing === maxPlacings) throw error;
    }
  }
}
