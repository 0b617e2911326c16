import type { Collection, Db } from 'mongodb';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import { recordsOf, type HistoryEntry, type HistoryHead } from '../domain/agent-state';
import type { HistoryRecord } from '../domain/history-record';

const collection = 'history';

export const historyIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'agent_number', key: { agentId: 1, number: -1 }, unique: true },
    { name: 'agent_sequence', key: { agentId: 1, 'state.lastSequence': 1, number: 1 } },
    { name: 'user', key: { userId: 1 } },
  ],
};

/** Whose history, and for whom it is read: an owner reads that of its subusers' agents. */
export interface HistoryOwner {
  readonly id: string;
  readonly userId: string;
}

export interface RecordRange {
  /** Only records with a higher sequence. */
  readonly after: number;
  /** Only records up to this sequence; all when undefined. */
  readonly upTo?: number;
  readonly limit: number;
}

/**
 * The histories of all agents. An entry is one document that holds its records and where the agent
 * stands afterwards: what it says happened all at once or not at all.
 */
export class HistoryStore {
  readonly #entries: Collection<HistoryEntry>;

  constructor(db: Db) {
    this.#entries = db.collection(collection);
  }

  /**
   * Adds the entry that follows the newest one. False when that number is taken: somebody else has
   * written in the meantime, and the caller does not know any more where the agent stands.
   */
  async append(entry: HistoryEntry): Promise<boolean> {
    try {
      await this.#entries.insertOne({ ...entry });
      return true;
    } catch (error) {
      if (violatedIndex(error) === undefined) throw error;
      return false;
    }
  }

  /** As `append`, for one entry each of many agents; returns the agents whose entry was added. */
  async appendEach(entries: readonly HistoryEntry[]): Promise<readonly string[]> {
    if (entries.length === 0) return [];
    const refused = new Set<number>();
    try {
      await this.#entries.insertMany(
        entries.map((entry) => ({ ...entry })),
        { ordered: false },
      );
    } catch (error) {
      for (const index of refusedOnes(error)) refused.add(index);
    }
    return entries.filter((_, index) => !refused.has(index)).map(({ agentId }) => agentId);
  }

  /** The newest entry: where the agent stands. */
  async findHead(agentId: string): Promise<HistoryHead | undefined> {
    const [head] = await this.#entries
      .find({ agentId }, { projection: { _id: 0, events: 0 } })
      .sort({ number: -1 })
      .limit(1)
      .toArray();
    return head;
  }

  /** The newest entry of each of these agents. */
  async findHeads(agentIds: readonly string[]): Promise<HistoryHead[]> {
    if (agentIds.length === 0) return [];
    const fields = ['agentId', 'userId', 'number', 'fence', 'holder', 'at', 'state'] as const;
    const head = Object.fromEntries(fields.map((field) => [field, `$${field}`]));
    const heads = await this.#newestOf(agentIds, head);
    return heads.map(({ newest }) => newest as HistoryHead);
  }

  /** When each of these agents last recorded anything that was not silent; those that never did are left out. */
  async findBusyAt(agentIds: readonly string[]): Promise<Map<string, Date>> {
    if (agentIds.length === 0) return new Map();
    const found = await this.#newestOf(agentIds, '$state.busyAt');
    const busy = found.filter(({ newest }) => newest instanceof Date);
    return new Map(busy.map(({ _id, newest }) => [_id, newest as Date]));
  }

  /** Records in order of sequence: at most `limit`, and fewer when they are long. */
  async listRecords(owner: HistoryOwner, range: RecordRange): Promise<HistoryRecord[]> {
    return (await this.readPage(owner, range)).records;
  }

  /** As `listRecords`, and whether these were all. */
  async readPage(
    owner: HistoryOwner,
    { after, upTo = Number.MAX_SAFE_INTEGER, limit }: RecordRange,
  ): Promise<{ readonly records: HistoryRecord[]; readonly isAll: boolean }> {
    const filter = { 'state.lastSequence': { $gt: after } };
    const { entries, isCut } = await this.#read(owner, filter, 1, limit);
    const found = entries.flatMap(recordsOf).filter(({ sequence }) => sequence > after);
    const records = found.slice(0, limit).filter(({ sequence }) => sequence <= upTo);
    const last = entries.at(-1)?.state.lastSequence ?? after;
    return { records, isAll: last >= upTo || (!isCut && found.length <= limit) };
  }

  /** Records below a sequence and above another, newest first. */
  async listRecordsBackwards(
    owner: HistoryOwner,
    { after, before, limit }: { after: number; before: number; limit: number },
  ): Promise<HistoryRecord[]> {
    const last = 'state.lastSequence';
    // The entry that ends at or above `before` may have begun below it.
    const [across, below] = await Promise.all([
      this.#read(owner, { [last]: { $gte: before } }, 1, 1),
      this.#read(owner, { [last]: { $gt: after, $lt: before } }, -1, limit),
    ]);
    const entries = [...across.entries, ...below.entries];
    const records = entries.flatMap((entry) => recordsOf(entry).reverse());
    return records.filter(({ sequence }) => sequence > after && sequence < before).slice(0, limit);
  }

  /** What the context is made of: everything from the newest start or reset on. */
  async *readFrom(owner: HistoryOwner, sequence: number): AsyncGenerator<HistoryRecord> {
    const filter = {
      agentId: owner.id,
      userId: owner.userId,
      'state.lastSequence': { $gte: sequence },
    };
    const entries = this.#entries
      .find(filter, { projection: { _id: 0 } })
      .sort({ 'state.lastSequence': 1, number: 1 });
    for await (const entry of entries)
      for (const record of recordsOf(entry)) if (record.sequence >= sequence) yield record;
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#entries.deleteMany({ userId });
  }

  /** One step in the index for each agent, however long its history. */
  #newestOf(agentIds: readonly string[], value: unknown) {
    return this.#entries
      .aggregate<{ _id: string; newest: unknown }>(
        [
          { $match: { agentId: { $in: [...agentIds] } } },
          { $sort: { agentId: 1, number: -1 } },
          { $group: { _id: '$agentId', newest: { $first: value } } },
        ],
        { hint: 'agent_number' },
      )
      .toArray();
  }

  async #read(
    { id, userId }: HistoryOwner,
    filter: object,
    direction: 1 | -1,
    limit: number,
  ): Promise<{ readonly entries: readonly HistoryEntry[]; readonly isCut: boolean }> {
    // Entries that only change who may write hold no records and must not use up the limit.
    const cursor = this.#entries
      .find(
        { agentId: id, userId, ...filter, 'events.0': { $exists: true } },
        { projection: { _id: 0 }, batchSize: 100 },
      )
      .sort({ 'state.lastSequence': direction, number: direction })
      .limit(limit);
    const entries: HistoryEntry[] = [];
    let characters = 0;
    for await (const entry of cursor) {
      entries.push(entry);
      characters += charactersIn(entry);
      if (characters > mostCharacters) break;
    }
    return { entries, isCut: entries.length >= limit || characters > mostCharacters };
  }
}

/** More than fits into an answer, so that whoever makes one notices that there is more. */
const mostCharacters = 4 << 20;

function charactersIn({ events }: HistoryEntry): number {
  return events.reduce((sum, event) => sum + lengthOf(event), 0);
}

function lengthOf(event: HistoryEntry['events'][number]): number {
  if (event.kind === 'tool_result') return event.resultJson.length;
  if (event.kind === 'start' || event.kind === 'reset') return 0;
  return event.text.length;
}

function refusedOnes(error: unknown): number[] {
  const { writeErrors } = error as { writeErrors?: { index: number; code: number }[] };
  // Without any the connection failed, and nobody knows what was stored.
  const isOnlyTaken = writeErrors?.length && writeErrors.every(({ code }) => code === 11000);
  if (!isOnlyTaken) throw error;
  return writeErrors.map(({ index }) => index);
}
