import type { Collection, Timestamp } from 'mongodb';
import type { InboxRow } from './inbox-row';
import { parseWakeKeys, shardPatterns, type WaitingAgent } from './wake-key';

/** Limits the items that are counted and the wake keys that are read; neither metrics nor operators need more. */
const maxCounted = 10_000;

const waitingFilter = { wakeKey: { $gte: '' } };
/** Reads one key for all rows that wait for the same agents. */
const oldestByKey = [
  { $match: waitingFilter },
  { $sort: { wakeKey: 1, order: 1 } },
  { $group: { _id: '$wakeKey', order: { $first: '$order' } } },
  { $limit: maxCounted },
];

/** See `InboxStore.waitingAgents`. */
export async function findWaitingAgents(
  rows: Collection<InboxRow>,
  shards: readonly number[],
): Promise<WaitingAgent[]> {
  const found = await rows
    .aggregate<{ _id: string }>([
      { $match: { wakeKey: { $in: shardPatterns(shards) } } },
      { $group: { _id: '$wakeKey' } },
    ])
    .toArray();
  return parseWakeKeys(found.map(({ _id }) => _id));
}

/** See `InboxStore.countByAgent`. */
export async function countByAgent(
  rows: Collection<InboxRow>,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const waitingFor = { $in: [...agentIds] };
  const found = await rows
    .aggregate<{ _id: string; count: number }>([
      { $match: { waitingFor } },
      { $unwind: '$waitingFor' },
      { $match: { waitingFor } },
      { $group: { _id: '$waitingFor', count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(found.map(({ _id, count }) => [_id, count]));
}

/** An agent with waiting items, and when the oldest of them was stored. */
export interface OldestItem {
  readonly agentId: string;
  readonly shard: number;
  readonly oldestAt: Date;
}

/** See `InboxStore.oldestItems`. */
export async function findOldestItems(rows: Collection<InboxRow>): Promise<OldestItem[]> {
  const found = await rows.aggregate<{ _id: string; order: Timestamp }>(oldestByKey).toArray();
  const oldest = new Map<string, OldestItem>();
  for (const { _id, order } of found.sort((a, b) => a.order.compare(b.order))) {
    const oldestAt = new Date(order.t * 1000);
    for (const { id: agentId, shard } of parseWakeKeys([_id])) {
      if (!oldest.has(agentId)) oldest.set(agentId, { agentId, shard, oldestAt });
    }
  }
  return [...oldest.values()];
}

export interface InboxBacklog {
  readonly items: number;
  readonly oldestAt: Date | undefined;
}

/** See `InboxStore.backlog`. */
export async function readBacklog(rows: Collection<InboxRow>): Promise<InboxBacklog> {
  const [items, [oldest]] = await Promise.all([
    rows.countDocuments(waitingFilter, { limit: maxCounted, hint: 'wake_key' }),
    rows
      .aggregate<{ order: Timestamp }>([
        ...oldestByKey,
        { $group: { _id: null, order: { $min: '$order' } } },
      ])
      .toArray(),
  ]);
  return { items, oldestAt: oldest && new Date(oldest.order.t * 1000) };
}
