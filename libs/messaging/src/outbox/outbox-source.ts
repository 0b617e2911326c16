import { randomUUID } from 'node:crypto';
import { messageGroups, messageRoutes } from '@daycare/contracts/message-routes';
import type { Collection, Db, Document, Filter } from 'mongodb';
import type {
  Backlog,
  Due,
  MessageSource,
  Outcome,
  OutgoingMessage,
  Settlement,
} from './rows/message-source';
import { claimedFields } from './claimed-fields';
import { erasedFields, outboxCollection, type OpenRow, type OutboxRow } from './rows/outbox-row';

export interface SourceTiming {
  /** How long a published row waits for its receipt; doubles with every publication. */
  readonly republishAfterMs: number;
  readonly maxRepublishAfterMs: number;
  /** How long receipts are kept. */
  readonly receiptTtlMs: number;
}

/** The backlog is counted no further than this, which is enough for a metric. */
const maxCounted = 100_000;
const epoch = new Date(0);

/**
 * The relay's side of the outbox: finds rows to publish, and turns rows into receipts once they are settled.
 */
export class OutboxSource implements MessageSource {
  readonly #rows: Collection<OutboxRow>;

  constructor(
    db: Db,
    private readonly timing: SourceTiming,
    readonly owns: MessageSource['owns'] = () => true,
    /** Called with the ids of messages that have just received their receipts; some may be left out. */
    private readonly onSettled: (ids: readonly string[]) => void = () => undefined,
  ) {
    this.#rows = db.collection(outboxCollection);
  }

  /** Claims only rows that a majority has, because a row that could still be rolled back must not be published. */
  async claimDue(due: Due, limit: number): Promise<readonly OutgoingMessage[]> {
    const dueFilter = this.#matchDue(due);
    const found = await this.#rows
      .find(dueFilter, { projection: { _id: 1 }, sort: { nextAttemptAt: 1 }, limit })
      .toArray();
    if (found.length === 0) return [];
    const chosen = { _id: { $in: found.map(({ _id }) => _id) } };
    const claim = randomUUID();
    await this.#rows.updateMany({ ...chosen, ...dueFilter }, [
      { $set: claimedFields(due, claim, this.timing, '$') },
    ]);
    const claimed = await this.#rows
      .find<OpenRow>({ ...chosen, claim, open: true }, { readConcern: { level: 'local' } })
      .toArray();
    const positions = new Map(found.map(({ _id }, index) => [_id, index]));
    const positionOf = ({ _id }: OpenRow): number => positions.get(_id) ?? 0;
    return claimed.sort((a, b) => positionOf(a) - positionOf(b)).map(toOutgoing);
  }

  async nextDueAt(): Promise<Date | undefined> {
    const open = { open: true, nextAttemptAt: { $gte: epoch } } as const;
    const options = { projection: { nextAttemptAt: 1 }, sort: { nextAttemptAt: 1 } } as const;
    return (await this.#rows.findOne<OpenRow>(open, options))?.nextAttemptAt;
  }

  async release(ids: readonly string[], nextAttemptAt: Date): Promise<void> {
    await this.#rows.updateMany(
      { _id: { $in: [...ids] }, open: true },
      { $set: { nextAttemptAt }, $inc: { publications: -1 } },
    );
  }

  async findOpen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.#rows
      .find({ _id: { $in: [...ids] }, open: true }, { projection: { _id: 1 } })
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  async settle(outcomes: readonly Outcome[], at: Date): Promise<Settlement> {
    let settled = 0;
    for (const group of groupOutcomes(outcomes)) settled += await this.#close(group, at);
    const forServices = outcomes.flatMap(({ id, isForService }) => (isForService ? [id] : []));
    const hasReleased = forServices.length > 0 && (await this.#releaseNext(forServices, at));
    return { settled, hasReleased };
  }

  async backlog(): Promise<Backlog> {
    const open = { open: true, acceptedAt: { $gte: epoch } } as const;
    const [rows, oldest] = await Promise.all([
      this.#rows.countDocuments(open, { limit: maxCounted }),
      this.#rows.findOne(open, { projection: { acceptedAt: 1 }, sort: { acceptedAt: 1 } }),
    ]);
    return { rows, ...(oldest ? { oldestAcceptedAt: oldest.acceptedAt } : {}) };
  }

  /**
   * Keeps a message's first outcome, with one exception: a message whose tie ended while it was being delivered
   * is recorded as dead, but a late receipt may still change that to delivered.
   */
  async #close({ ids, reason, consumer }: OutcomeGroup, at: Date): Promise<number> {
    const expiresAt = new Date(at.getTime() + this.timing.receiptTtlMs);
    const outcome = reason === undefined ? { outcome: 'delivered' } : { outcome: 'dead', reason };
    const isDelivered = reason === undefined;
    const { modifiedCount } = await this.#rows.updateMany(
      {
        _id: { $in: ids },
        ...matchConsumer(consumer),
        ...(isDelivered ? { $or: [{ open: true }, { ended: true }] } : { open: true }),
      },
      {
        $set: { open: false, ...outcome, settledAt: at, expiresAt },
        $unset: { ...erasedFields, ...(isDelivered ? { ended: true, reason: true } : {}) },
      } as Document,
      { hint: '_id_' },
    );
    // If fewer were modified, it is not known which: some may have been settled before, or the messages may belong to
    // another consumer.
    if (modifiedCount === ids.length) this.onSettled(ids);
    return modifiedCount;
  }

  /**
   * Makes the next message in each lane due, because a message to a service is not published before the previous one
   * has its receipt.
   */
  async #releaseNext(ids: readonly string[], now: Date): Promise<boolean> {
    const settled = await this.#rows
      .find({ _id: { $in: [...ids] }, open: false }, { projection: { lane: 1, seq: 1 } })
      .toArray();
    if (settled.length === 0) return false;
    const next = settled.map(({ lane, seq }) => ({ lane, seq: seq + 1 }));
    const { matchedCount } = await this.#rows.updateMany(
      { $or: next, open: true },
      { $set: { nextAttemptAt: now, publications: 0 } },
    );
    return matchedCount > 0;
  }

  /**
   * No published row waits longer than `maxRepublishAfterMs` for its next attempt, so only part of the index has to be
   * read.
   */
  #matchDue({ now, republishBefore }: Due): Filter<OutboxRow> {
    if (republishBefore <= epoch) return { open: true, nextAttemptAt: { $lte: now } };
    const latest = new Date(+republishBefore + this.timing.maxRepublishAfterMs);
    return {
      open: true,
      nextAttemptAt: { $lte: latest > now ? latest : now },
      $or: [{ nextAttemptAt: { $lte: now } }, { publishedAt: { $lt: republishBefore } }],
    };
  }
}

export function toOutgoing(row: OpenRow): OutgoingMessage {
  const { _id, recipientUserId, recipientService, payload, traceparent } = row;
  return {
    id: _id,
    recipientUserId,
    ...(recipientService === undefined ? {} : { recipientService }),
    payload: payload.buffer,
    ...(traceparent === undefined ? {} : { traceparent }),
    predecessors: row.predecessors,
    publications: row.publications,
  };
}

/** Messages with the same outcome, which one update stores; without a reason they were delivered. */
interface OutcomeGroup {
  readonly reason: string | undefined;
  readonly consumer: string | undefined;
  readonly ids: string[];
}

function groupOutcomes(outcomes: readonly Outcome[]): Iterable<OutcomeGroup> {
  const groups = new Map<string, OutcomeGroup>();
  for (const { id, consumer, outcome, reason = '' } of outcomes) {
    const emptyGroup = { reason: outcome === 'delivered' ? undefined : reason, consumer, ids: [] };
    const key = JSON.stringify([emptyGroup.reason, consumer]);
    const group = groups.get(key) ?? emptyGroup;
    groups.set(key, group);
    group.ids.push(id);
  }
  return groups.values();
}

/**
 * Matches the messages that the service `consumer` consumes, because only a message's consumer knows its outcome; if
 * `consumer` is undefined, matches all.
 */
function matchConsumer(consumer: string | undefined): Filter<OutboxRow> {
  if (consumer === undefined) return {};
  const groups = messageGroups.filter((group) => messageRoutes[group].to === consumer);
  // Messages for agents name no service.
  const named = groups.flatMap((group) => (group === 'agents' ? [] : [group]));
  const services: (string | null)[] = groups.includes('agents') ? [...named, null] : named;
  return { recipientService: { $in: services } } as Filter<OutboxRow>;
}
