import { AppError } from '@daycare/api';
import { databaseClock, groupCalls, groupReads } from '@daycare/mongo';
import type { ClientSession, Collection, Db, Document } from 'mongodb';
import { LaneAppender, type Appended, type AppendResult } from './rows/lane-appender';
import { findTails } from './rows/lane-tails';
import { toRow, type MessageDraft, type UnplacedRow } from './rows/message-draft';
import type { CountInInboxes } from './rows/waiting-counter';
import { BrokenSequenceError, type MessageSequence } from './message-sequence';
import type { OutgoingMessage } from './rows/message-source';
import {
  erasedFields,
  fieldsErasedWithTie,
  noLongerAllowedReason,
  openTieIndex,
  outboxCollection,
  receiptTtlMs,
  type OpenRow,
  type OutboxRow,
  type RowTie,
} from './rows/outbox-row';
import { toOutgoing } from './outbox-source';

/** The state of a message, which only the user `senderUserId` may see. */
export type MessageStatus =
  | ({ readonly state: 'accepted' } & AcceptedMessage)
  | ({ readonly state: 'delivered'; readonly at: Date } & AcceptedMessage)
  | ({ readonly state: 'dead'; readonly at: Date; readonly reason: string } & AcceptedMessage)
  | { readonly state: 'unknown' };

interface AcceptedMessage {
  readonly senderUserId: string;
  readonly acceptedAt: Date;
}

/** Publishes messages as soon as they are accepted. */
export interface AcceptedPublisher {
  /** Must neither throw nor block. */
  publish(messages: readonly OutgoingMessage[]): void;
  /** How long an accepted message waits for its receipt before any relay publishes it again. */
  readonly republishAfterMs: number;
}

interface AppendCall {
  readonly rows: readonly UnplacedRow[];
  readonly sequence?: MessageSequence | undefined;
}

const maxRowsPerBatch = 256;

/**
 * Where a service stores its outgoing messages. A message is accepted once `append` has resolved or the transaction
 * around it has committed; it then reaches its recipient or the dead letters, unless its tie ends first.
 */
export class OutboxStore {
  /**
   * Returns the id of a lane's newest message if that message has no receipt yet. A message that is stored elsewhere
   * can name it as its predecessor.
   */
  readonly openTailOf: (lane: string) => Promise<string | undefined>;
  readonly #rows: Collection<OutboxRow>;
  readonly #appender: LaneAppender;
  readonly #appendGrouped: (call: AppendCall) => Promise<readonly AppendResult[]>;
  #publisher: AcceptedPublisher | undefined;

  /**
   * `source` is the service's name, to which receipts are sent. `countInInboxes` is required where messages
   * have limits.
   */
  constructor(
    readonly db: Db,
    readonly source: string,
    countInInboxes?: CountInInboxes,
    /** The clock by which all relays decide what is due. */
    readonly clock = databaseClock(db),
  ) {
    this.#rows = db.collection(outboxCollection);
    this.#appender = new LaneAppender(this.#rows, countInInboxes);
    this.openTailOf = groupReads((lanes) => this.#findOpenTails(lanes));
    this.#appendGrouped = groupCalls((calls) => this.#appendInOrder(calls), {
      maxItems: maxRowsPerBatch,
      bytesOf: ({ rows }) => rows.reduce((sum, { payload }) => sum + payload.length(), 0),
      onFailed: ({ sequence }) => {
        if (sequence) sequence.isBroken = true;
      },
    });
  }

  /** From now on messages that are accepted outside of transactions are published immediately. */
  publishThrough(publisher: AcceptedPublisher): void {
    this.#publisher = publisher;
  }

  /**
   * Stores drafts; those of one lane will be handled in the given order. Concurrent calls share round trips.
   * If the call rejects, some drafts may have been stored: retry it with the same ids. With a session, all drafts
   * or none are stored, and a lost race throws CONFLICT: run the transaction again, and wake the relay after the
   * commit.
   */
  async append(
    drafts: readonly MessageDraft[],
    session?: ClientSession,
  ): Promise<readonly AppendResult[]> {
    const rows = this.#rowsOf(drafts);
    if (!session) return this.#appendGrouped({ rows });
    const { accepted } = await this.#appender.appendInTransaction(rows, session);
    return resultsOf(rows, accepted);
  }

  /**
   * Stores drafts outside of transactions, after those appended to the same sequence before. If one of the sequence's
   * drafts cannot be stored, calls that are still waiting and all later ones reject with `BrokenSequenceError`.
   */
  async appendTo(
    sequence: MessageSequence,
    drafts: readonly MessageDraft[],
  ): Promise<readonly AppendResult[]> {
    return this.#appendGrouped({ rows: this.#rowsOf(drafts), sequence });
  }

  /**
   * Stores a draft only if the newest row in its lane has no receipt; resolves with whether the draft was stored. If it
   * was not, every message that was accepted in the lane before this call has been handled or has ended.
   */
  async appendBehindOpenTail(draft: MessageDraft): Promise<boolean> {
    if ((await this.openTailOf(draft.lane)) === undefined) return false;
    await this.append([draft]);
    return true;
  }

  /**
   * Call it with messages that now have their receipts, so that later ones no longer name them as predecessors.
   */
  noteReceipts(ids: readonly string[]): void {
    this.#appender.noteReceipts(ids);
  }

  /**
   * Ends messages that a lower version of this tie allowed and that have no receipt yet; with `subuserId`, only that
   * subuser's. They are no longer published.
   */
  async endTie({ id, version, subuserId }: RowTie): Promise<void> {
    const subuserFilter = subuserId === undefined ? {} : { 'tie.subuserId': subuserId };
    await this.#rows.updateMany(
      { open: true, 'tie.id': id, 'tie.version': { $lt: version }, ...subuserFilter },
      {
        $set: { ...noLongerAllowedFields(), ended: true },
        $unset: fieldsErasedWithTie,
      } as Document,
      { hint: openTieIndex },
    );
  }

  /** Records that the recipient dropped messages, whether or not their receipts have arrived. */
  async markDropped(ids: readonly string[]): Promise<void> {
    await this.#rows.updateMany({ _id: { $in: [...ids] } }, {
      $set: noLongerAllowedFields(),
      $unset: { ...erasedFields, ended: true },
    } as Document);
  }

  /** Returns a message's state: `unknown` if the message was never accepted or its receipt has expired. */
  async status(id: string): Promise<MessageStatus> {
    const projection = { payload: 0 };
    const row = await this.#rows.findOne({ _id: id }, { projection });
    return row ? statusOf(row) : { state: 'unknown' };
  }

  #rowsOf(drafts: readonly MessageDraft[]): readonly UnplacedRow[] {
    const at = this.clock.now();
    return drafts.map((draft) => toRow(draft, this.source, at));
  }

  async #findOpenTails(lanes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const tails = await findTails(this.#rows, lanes);
    return new Map(
      [...tails.lanes].flatMap(([lane, { id, open }]) => (open ? [[lane, id] as const] : [])),
    );
  }

  async #appendInOrder(
    calls: readonly AppendCall[],
  ): Promise<readonly (readonly AppendResult[] | Error)[]> {
    // Evaluated once, before anything is stored: a sequence may break while this batch is being stored.
    const allowed = calls.filter(({ sequence }) => !sequence?.isBroken);
    const results = await this.#appendBatch(allowed.map(({ rows }) => rows));
    const resultOf = new Map(allowed.map((call, index) => [call, results[index]]));
    return calls.map((call) => resultOf.get(call) ?? new BrokenSequenceError());
  }

  async #appendBatch(
    calls: readonly (readonly UnplacedRow[])[],
  ): Promise<readonly (readonly AppendResult[] | Error)[]> {
    const publisher = this.#publisher;
    const rows = calls.flat();
    const appended = await this.#appender.append(
      publisher ? rows.map((row) => asPublished(row, publisher)) : rows,
    );
    publisher?.publish(appended.accepted.map(toOutgoing));
    const ids = new Set([...appended.accepted, ...appended.duplicates].map(({ _id }) => _id));
    const resultOf = resultAssigner(appended);
    const errorOf = new Map([...appended.refused].map(([{ _id }, error]) => [_id, error] as const));
    return calls.map((rows) =>
      rows.every(({ _id }) => ids.has(_id))
        ? rows.map((row) => resultOf(row._id))
        : (rows.flatMap(({ _id }) => errorOf.get(_id) ?? [])[0] ?? tooManyRaces()),
    );
  }
}

/**
 * Counts the publication by this process, which follows immediately. If the process dies first, a relay finds the row
 * later.
 */
function asPublished(row: UnplacedRow, { republishAfterMs }: AcceptedPublisher): UnplacedRow {
  const nextAttemptAt = new Date(row.acceptedAt.getTime() + republishAfterMs);
  return { ...row, publications: 1, nextAttemptAt };
}

/**
 * Returns a function that gives each id its result: of several rows with the same accepted id, the first is accepted
 * and the others are duplicates.
 */
function resultAssigner({ accepted }: Pick<Appended, 'accepted'>): (id: string) => AppendResult {
  const unassigned = new Set(accepted.map(({ _id }) => _id));
  return (id) => ({ id, outcome: unassigned.delete(id) ? 'accepted' : 'duplicate' });
}

function resultsOf(
  rows: readonly UnplacedRow[],
  accepted: readonly OpenRow[],
): readonly AppendResult[] {
  const resultOf = resultAssigner({ accepted });
  return rows.map(({ _id }) => resultOf(_id));
}

function noLongerAllowedFields() {
  const at = new Date();
  const expiresAt = new Date(at.getTime() + receiptTtlMs);
  return { open: false, outcome: 'dead', reason: noLongerAllowedReason, settledAt: at, expiresAt };
}

function tooManyRaces(): AppError {
  return new AppError('UNAVAILABLE', 'Too many concurrent messages; try again');
}

function statusOf(row: OutboxRow): MessageStatus {
  const { senderUserId, acceptedAt } = row;
  if (row.open) return { state: 'accepted', senderUserId, acceptedAt };
  const facts = { senderUserId, acceptedAt, at: row.settledAt };
  if (row.outcome === 'delivered') return { state: 'delivered', ...facts };
  return { state: 'dead', ...facts, reason: row.reason ?? '' };
}
