import type { Collection, Db, Document } from 'mongodb';
import {
  groupReads,
  insertAll,
  makeListDocuments,
  type CollectionIndexes,
  type ListDocuments,
} from '@daycare/mongo';
import {
  recordsOf,
  type HistoryEntry,
  type HistoryHead,
  type RecordedEvents,
} from '../domain/history-entry';
import type { HistoryRecord } from '../domain/context/history-record';
import { charactersIn } from './sizes/characters-in';
import { feedIndex, maxInsertMs, toDocument, type HistoryDocument } from './feed-store';
import { groupEntries, type PendingEntry } from './group-entries';
import { usageIndex } from './usage-index';

export const historyCollection = 'history';
const collection = historyCollection;

export const historyIndexes: CollectionIndexes = {
  collection,
  shardKey: { agentId: 'hashed' },
  indexes: [
    { name: 'agent_number', key: { agentId: 1, number: -1 }, unique: true },
    { name: 'agent_sequence', key: { agentId: 1, 'state.lastSequence': 1, number: 1 } },
    { name: 'user', key: { userId: 1 } },
    feedIndex,
    usageIndex,
  ],
};

/**
 * Skips entries that change only the agent's state or the writer; an agent that has been taken over many times has many
 * such entries.
 */
const hasRecords = { 'events.0': { $exists: true } };
/** The fields that records are made from; the other fields of the state often take up more space. */
const recordedFields = { _id: 0, at: 1, events: 1, 'state.lastSequence': 1 };

/** The agent that a history belongs to, and its user. */
export interface HistoryOwner {
  readonly id: string;
  readonly userId: string;
}

export interface RecordRange {
  /** Only records with a higher sequence number. */
  readonly after: number;
  /** Only records up to this sequence number; all when undefined. */
  readonly upTo?: number;
  readonly limit: number;
}

export interface HistoryPage {
  readonly records: HistoryRecord[];
  /** False when more records may follow in the range. */
  readonly isLastPage: boolean;
}

/**
 * The histories of all agents. An entry is one document with its records and the agent's state
 * after them, so that it is stored as a whole or not at all.
 */
export class HistoryStore {
  readonly #entries: Collection<HistoryDocument>;
  readonly #listRecorded: ListDocuments<HistoryDocument>;
  readonly #append: (pending: PendingEntry) => Promise<boolean>;
  readonly #findHead: (agentId: string) => Promise<HistoryHead | undefined>;
  readonly #findLastSequence: (agentId: string) => Promise<number | undefined>;

  constructor(db: Db) {
    this.#entries = db.collection(collection);
    this.#listRecorded = makeListDocuments(this.#entries);
    this.#append = groupEntries(this.#entries);
    this.#findHead = groupReads(async (agentIds) => {
      const heads = await this.findHeads(agentIds);
      return new Map(heads.map((head) => [head.agentId, head]));
    });
    this.#findLastSequence = groupReads((agentIds) => this.#lastSequences(agentIds));
  }

  /**
   * Adds the entry that follows the newest one. Returns false when its number is taken: another writer was faster,
   * so the caller's state is outdated.
   */
  async append(entry: HistoryEntry): Promise<boolean> {
    return this.#append({ agentId: entry.agentId, peek: () => entry, take: () => entry });
  }

  /** Like `append`, for an entry that may still change until it is sent. */
  async appendPending(pending: PendingEntry): Promise<boolean> {
    return this.#append(pending);
  }

  /** Like `append`, for many agents with one entry each. Returns the ids of the agents whose entry was added. */
  async appendEach(entries: readonly HistoryEntry[]): Promise<readonly string[]> {
    const documents = entries.map((entry) => toDocument(entry));
    const outcomes = await insertAll(this.#entries, documents, { maxTimeMs: maxInsertMs });
    return entries.filter((_, at) => outcomes[at] === 'stored').map(({ agentId }) => agentId);
  }

  /** Finds the newest entry, which has the current state. */
  async findHead(agentId: string): Promise<HistoryHead | undefined> {
    return this.#findHead(agentId);
  }

  /** Finds the newest record's sequence number; 0 when there is no history yet. */
  async findLastSequence(agentId: string): Promise<number> {
    return (await this.#findLastSequence(agentId)) ?? 0;
  }

  /** Finds the newest entry of each of these agents. */
  async findHeads(agentIds: readonly string[]): Promise<HistoryHead[]> {
    if (agentIds.length === 0) return [];
    const fields = [
      'agentId',
      'userId',
      'feed',
      'number',
      'fence',
      'holder',
      'at',
      'state',
    ] as const;
    const head = Object.fromEntries(fields.map((field) => [field, `$${field}`]));
    const heads = await this.#newestOf(agentIds, head);
    return heads.map(({ newest }) => newest as HistoryHead);
  }

  /** Lists records by ascending sequence number: at most `limit`, and fewer when they are long. */
  async listRecords(owner: HistoryOwner, range: RecordRange): Promise<HistoryRecord[]> {
    return (await this.readPage(owner, range)).records;
  }

  /** Like `listRecords`; also returns whether these are the last records in the range. */
  async readPage(
    owner: HistoryOwner,
    { after, upTo = Number.MAX_SAFE_INTEGER, limit }: RecordRange,
  ): Promise<HistoryPage> {
    const filter = { 'state.lastSequence': { $gt: after } };
    const { entries, isTruncated } = await this.#read(owner, filter, 1, limit);
    const found = entries.flatMap(recordsOf).filter(({ sequence }) => sequence > after);
    const records = found.slice(0, limit).filter(({ sequence }) => sequence <= upTo);
    const last = entries.at(-1)?.state.lastSequence ?? after;
    return { records, isLastPage: last >= upTo || (!isTruncated && found.length <= limit) };
  }

  /** Reads a page of the records with sequence numbers above `after` and below `before`, newest first. */
  async readPageBackwards(
    owner: HistoryOwner,
    { after, before, limit }: { after: number; before: number; limit: number },
  ): Promise<HistoryPage> {
    const last = 'state.lastSequence';
    // The entry that ends at or above `before` may start below it.
    const [across, below] = await Promise.all([
      this.#read(owner, { [last]: { $gte: before } }, 1, 1),
      this.#read(owner, { [last]: { $gt: after, $lt: before } }, -1, limit),
    ]);
    const entries = [...across.entries, ...below.entries];
    const found = entries
      .flatMap((entry) => recordsOf(entry).reverse())
      .filter(({ sequence }) => sequence > after && sequence < before);
    const isLastPage = !below.isTruncated && found.length <= limit;
    return { records: found.slice(0, limit), isLastPage };
  }

  /** Reads all records from a sequence number on, such as those that make up the context. */
  async readFrom({ id, userId }: HistoryOwner, sequence: number): Promise<HistoryRecord[]> {
    const entries = await this.#listRecorded(
      { agentId: id, userId, 'state.lastSequence': { $gte: sequence }, ...hasRecords },
      { projection: recordedFields, sort: { 'state.lastSequence': 1, number: 1 } },
    );
    return entries.flatMap(recordsOf).filter((record) => record.sequence >= sequence);
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#entries.deleteMany({ userId });
  }

  /** One index seek per agent; no entry is read. */
  async #lastSequences(agentIds: readonly string[]): Promise<Map<string, number>> {
    const found = await this.#entries
      .aggregate<{ _id: string; last: number }>(lastSequencesOf(agentIds), {
        hint: 'agent_sequence',
      })
      .toArray();
    return new Map(found.map(({ _id, last }) => [_id, last]));
  }

  /** One index seek per agent, however long its history is. */
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
  ): Promise<{ readonly entries: readonly RecordedEvents[]; readonly isTruncated: boolean }> {
    const cursor = this.#entries
      .find<RecordedEvents>(
        { agentId: id, userId, ...filter, ...hasRecords },
        { projection: recordedFields, batchSize: 100 },
      )
      .sort({ 'state.lastSequence': direction, number: direction })
      .limit(limit);
    const entries: RecordedEvents[] = [];
    let characters = 0;
    for await (const entry of cursor) {
      entries.push(entry);
      characters += charactersIn(entry);
      if (characters > maxCharacters) break;
    }
    return { entries, isTruncated: entries.length >= limit || characters > maxCharacters };
  }
}

/** Returns the pipeline that finds each agent's highest sequence number, which its newest entry has. */
export function lastSequencesOf(agentIds: readonly string[]): Document[] {
  return [
    { $match: { agentId: { $in: [...agentIds] } } },
    { $sort: { agentId: -1, 'state.lastSequence': -1, number: -1 } },
    { $group: { _id: '$agentId', last: { $first: '$state.lastSequence' } } },
  ];
}

/** About twice what fits into a response. */
const maxCharacters = 4 << 20;
