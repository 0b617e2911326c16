import type { Collection, Db, Document } from 'mongodb';
import type { Trust } from '@daycare/api';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import type { HistoryEntry } from '../domain/history-entry';
import type { RecordedCall } from '../domain/call-usage';
import {
  usageDimensions,
  type UsageDimension,
  type UsageFilter,
  type UsageKey,
  type UsageRow,
} from '../domain/usage';
import { historyCollection } from './history-store';
import { usageIndexName, usageSums } from './usage-index';

/**
 * The usage of deleted subusers, and of calls made outside any agent; for each of the two, one document per
 * user, day, model and trust.
 */
interface PastUsage extends Omit<UsageRow, 'agentId' | 'friend'> {
  readonly _id: string;
  readonly ownerUserId: string;
  readonly expiresAt: Date;
}

const pastUsage = 'past_usage';
const keptDays = 400;
const dayMs = 24 * 60 * 60_000;

export const pastUsageIndexes: CollectionIndexes = {
  collection: pastUsage,
  shardKey: { ownerUserId: 'hashed' },
  indexes: [
    { name: 'owner_day', key: { ownerUserId: 1, day: 1, userId: 1 } },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

export interface UsageListing extends UsageFilter {
  /** The dimensions to group rows by; a row sums up all values of the other dimensions. */
  readonly groupBy: readonly UsageDimension[];
  /** The last row of the previous page. */
  readonly after: UsageKey | undefined;
  readonly limit: number;
}

/** What an agent has used on one day, in turns with the same level of trust. */
export interface AgentSum {
  readonly userId: string;
  /** Empty for a sum over `PastUsage`, which names no agents. */
  readonly agentId: string;
  readonly trust: Trust;
  readonly day: string;
  readonly tokens: number;
  readonly micros: number;
}

/** The calls to leave out of a sum, because the owner's account counts them itself. */
export interface UncountedCalls {
  /** The numbers of reservations that are still open; their calls are left out. */
  readonly open: readonly number[];
  /** Calls whose reservations have a higher number than this are left out as well. */
  readonly after: number;
}

/**
 * Sums up model calls: calls in the histories, which are only read here, calls of deleted subusers and calls made
 * outside any agent.
 */
export class UsageStore {
  readonly #entries: Collection<HistoryEntry>;
  readonly #past: Collection<PastUsage>;

  constructor(db: Db) {
    this.#entries = db.collection(historyCollection);
    this.#past = db.collection(pastUsage);
  }

  /** Lists rows, sorted by day, user, agent, model, trust and friend. */
  async list({ groupBy, after, limit, ...filter }: UsageListing): Promise<UsageRow[]> {
    const id = Object.fromEntries(
      usageDimensions.map((name) => [name, groupBy.includes(name) ? `$${name}` : { $literal: '' }]),
    );
    const sort = Object.fromEntries(usageDimensions.map((name) => [`_id.${name}`, 1]));
    const found = await this.#entries
      .aggregate<{ _id: UsageKey } & Omit<UsageRow, keyof UsageKey>>(
        [
          ...callsOf(filter),
          { $unionWith: { coll: pastUsage, pipeline: pastOf(filter) } },
          { $group: { _id: id, ...sums() } },
          ...(after ? [{ $match: { $or: following(after) } }] : []),
          { $sort: sort },
          { $limit: limit },
        ],
        { hint: usageIndexName },
      )
      .toArray();
    return found.map(({ _id, ...row }) => ({ ..._id, ...row }));
  }

  /** Sums up an owner's usage in a period by agent, trust and day, without the calls that its account counts itself. */
  async sumByAgent(
    filter: UsageFilter,
    { open, after }: UncountedCalls,
  ): Promise<readonly AgentSum[]> {
    const isCounted = { reservation: { $lte: after, $nin: [...open] } };
    return this.#entries
      .aggregate<AgentSum>(
        [
          ...callsOf(filter),
          { $match: isCounted },
          { $unionWith: { coll: pastUsage, pipeline: pastOf(filter) } },
          {
            $group: {
              _id: { userId: '$userId', agentId: '$agentId', trust: '$trust', day: '$day' },
              tokens: { $sum: { $add: ['$inputTokens', '$outputTokens'] } },
              micros: { $sum: '$costMicros' },
            },
          },
          { $replaceWith: { $mergeObjects: ['$_id', { tokens: '$tokens', micros: '$micros' }] } },
        ],
        { hint: usageIndexName },
      )
      .toArray();
  }

  /** Records a call made outside any agent, which is therefore in no history. */
  async addCall(userId: string, call: RecordedCall): Promise<void> {
    const { ownerUserId, day, model, trust } = call;
    const expiresAt = new Date(Date.parse(day) + keptDays * dayMs);
    const amounts = Object.fromEntries(usageSums.map((name) => [name, call[name]]));
    await retryOnDuplicateKey(() =>
      this.#past.updateOne(
        { _id: `${userId} ${day} ${trust} ${model} own` },
        {
          $setOnInsert: { ownerUserId, userId, day, model, trust, expiresAt },
          $inc: { calls: 1, ...amounts },
        },
        { upsert: true },
      ),
    );
  }

  /**
   * Stores a subuser's usage apart from its history, which is about to be deleted; for a top-level user, deletes
   * the past usage that it owns. May be repeated: the larger sums are kept.
   */
  async archiveByUser(userId: string): Promise<void> {
    await this.#past.deleteMany({ ownerUserId: userId });
    const key = {
      ownerUserId: '$call.ownerUserId',
      day: '$call.day',
      model: '$call.model',
      trust: '$call.trust',
    };
    const callSums = Object.fromEntries(usageSums.map((name) => [name, { $sum: `$call.${name}` }]));
    const totals = ['calls', ...usageSums];
    const expiresAt = { $dateAdd: { startDate: '$$NOW', unit: 'day', amount: keptDays } };
    const keepLarger = Object.fromEntries(
      totals.map((name) => [name, { $max: [`$$new.${name}`, `$${name}`] }]),
    );
    await this.#entries
      .aggregate([
        { $match: { userId, 'call.ownerUserId': { $exists: true, $ne: userId } } },
        { $group: { _id: key, calls: { $sum: 1 }, ...callSums } },
        {
          $replaceWith: {
            $mergeObjects: [
              '$$ROOT',
              '$_id',
              {
                userId,
                expiresAt,
                _id: { $concat: [userId, ' ', '$_id.day', ' ', '$_id.trust', ' ', '$_id.model'] },
              },
            ],
          },
        },
        {
          $merge: {
            into: pastUsage,
            whenMatched: [{ $set: keepLarger }],
          },
        },
      ])
      .toArray();
  }
}

/** Turns the calls in the histories into flat documents, from the index alone. */
function callsOf({ ownerUserId, userId, agentId, fromDay, toDay }: UsageFilter): Document[] {
  const fields = ['day', 'model', 'trust', 'reservation', ...usageSums];
  return [
    {
      $match: {
        'call.ownerUserId': ownerUserId,
        'call.day': { $gte: fromDay, $lte: toDay },
        ...(userId === undefined ? {} : { userId }),
        ...(agentId === undefined ? {} : { agentId }),
      },
    },
    {
      $project: {
        _id: 0,
        userId: 1,
        agentId: 1,
        ...Object.fromEntries(fields.map((name) => [name, `$call.${name}`])),
        friend: { $ifNull: ['$call.friend', ''] },
      },
    },
  ];
}

function pastOf({ ownerUserId, userId, agentId, fromDay, toDay }: UsageFilter): Document[] {
  const ownedInPeriod = { ownerUserId, day: { $gte: fromDay, $lte: toDay } };
  return [
    {
      $match: {
        ...ownedInPeriod,
        ...(userId === undefined ? {} : { userId }),
        // Past usage has no agent id, so a filter by agent excludes all of it.
        ...(agentId === undefined ? {} : { agentId }),
      },
    },
    { $set: { agentId: '', friend: '' } },
  ];
}

function sums(): Document {
  return {
    calls: { $sum: { $ifNull: ['$calls', 1] } },
    ...Object.fromEntries(usageSums.map((name) => [name, { $sum: `$${name}` }])),
  };
}

/** Matches the keys that come after this one in the list. */
function following(after: UsageKey): Document[] {
  return usageDimensions.map((name, index) => ({
    ...Object.fromEntries(
      usageDimensions.slice(0, index).map((each) => [`_id.${each}`, after[each]]),
    ),
    [`_id.${name}`]: { $gt: after[name] },
  }));
}
