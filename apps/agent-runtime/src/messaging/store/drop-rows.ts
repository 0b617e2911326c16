import type { Collection, Filter } from 'mongodb';
import { closingKey, type MessageTie } from '../domain/closed-tie';
import type { MessageRef } from '../domain/inbox-item';
import { rememberedMs, rowId, type InboxRow } from './inbox-row';
import { wakeKeyFor } from './wake-key';

/** Rows that turns in progress have taken, by the agents of these turns. */
export type TakenRows = ReadonlyMap<string, readonly string[]>;

/** How many messages from one side of a tie are waiting. */
export interface WaitingFrom {
  readonly tieId: string;
  readonly userId: string;
  readonly count: number;
}

/** The agents with waiting messages that a closing ends. */
export async function agentsToDropFor(
  rows: Collection<InboxRow>,
  closing: MessageTie,
): Promise<string[]> {
  const found = await rows.distinct('waitingFor', matching(closing));
  return found.filter((agentId) => agentId !== undefined);
}

/**
 * Drops waiting messages that are no longer allowed: texts are erased, ids remembered. A message that a turn has
 * taken stays for the agent of that turn only.
 */
export async function dropRows(
  rows: Collection<InboxRow>,
  closing: MessageTie,
  taken: TakenRows,
  now: Date,
): Promise<void> {
  for (const [agentId, ids] of taken)
    await rows.updateMany(
      { ...matching(closing), _id: { $in: [...ids] }, waitingFor: agentId },
      [{ $set: { waitingFor: [agentId], wakeKey: wakeKeyFor([agentId]) } }, { $unset: 'tie' }],
      { hint: '_id_' },
    );
  await rows.updateMany(
    matching(closing),
    {
      $set: { droppedBy: closingKey(closing), expiresAt: new Date(now.getTime() + rememberedMs) },
      $unset: { waitingFor: 1, wakeKey: 1, unrouted: 1, item: 1, tie: 1 },
    },
    { hint: 'tie' },
  );
}

/** The messages that a closing has dropped, each with the user who was to receive it. */
export async function findDroppedBy(
  rows: Collection<InboxRow>,
  closing: MessageTie,
): Promise<MessageRef[]> {
  const found = await rows
    .find({ droppedBy: closingKey(closing) }, { projection: { userId: 1 }, hint: 'dropped' })
    .toArray();
  return found.map(({ _id, userId }) => ({ id: _id.slice(userId.length + 1), userId }));
}

/** Which of these messages were dropped. */
export async function findDropped(
  rows: Collection<InboxRow>,
  messages: readonly MessageRef[],
): Promise<ReadonlySet<string>> {
  const idOf = new Map(messages.map(({ id, userId }) => [rowId(userId, id), id]));
  const found = await rows
    .find(
      { _id: { $in: [...idOf.keys()] }, droppedBy: { $exists: true } },
      { projection: { _id: 1 }, hint: '_id_' },
    )
    .toArray();
  return new Set(found.flatMap(({ _id }) => idOf.get(_id) ?? []));
}

/** The ids of the next ties with waiting messages, in ascending order; `hasMore` when further ones may follow. */
export interface TiePage {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** Reads at most `limit` keys of the index, and no rows. */
export async function waitingTies(
  rows: Collection<InboxRow>,
  after: string,
  limit: number,
): Promise<TiePage> {
  const found = await rows
    .find({ 'tie.id': { $gt: after } }, { projection: { _id: 0, 'tie.id': 1 }, hint: 'tie' })
    .sort({ 'tie.id': 1, 'tie.version': 1 })
    .limit(limit)
    .toArray();
  const ids = new Set(found.flatMap(({ tie }) => tie?.id ?? []));
  return { ids: [...ids], hasMore: found.length === limit };
}

/**
 * The lowest version among the waiting messages of each tie, separately for each subuser and for messages without
 * one. Reads only the index.
 */
export async function lowestWaiting(
  rows: Collection<InboxRow>,
  tieIds: readonly string[],
): Promise<MessageTie[]> {
  if (tieIds.length === 0) return [];
  const group = { id: '$tie.id', subuserId: '$tie.subuserId' };
  const found = await rows
    .aggregate<{ _id: { id: string; subuserId?: string | null }; version: number }>(
      [
        { $match: { 'tie.id': { $in: [...tieIds] } } },
        { $group: { _id: group, version: { $min: '$tie.version' } } },
      ],
      { hint: 'tie' },
    )
    .toArray();
  return found.map(({ _id: { id, subuserId }, version }) => ({
    id,
    version,
    ...(subuserId ? { subuserId } : {}),
  }));
}

/** How many rows from each side of these ties are waiting. Reads only the index. */
export async function countWaitingFrom(
  rows: Collection<InboxRow>,
  tieIds: readonly string[],
): Promise<readonly WaitingFrom[]> {
  const found = await rows
    .aggregate<{ _id: { tieId: string; userId: string }; count: number }>(
      [
        { $match: { 'tie.id': { $in: [...tieIds] } } },
        { $group: { _id: { tieId: '$tie.id', userId: '$tie.from' }, count: { $sum: 1 } } },
      ],
      { hint: 'tie' },
    )
    .toArray();
  return found.map(({ _id, count }) => ({ ..._id, count }));
}

function matching({ id, version, subuserId }: MessageTie): Filter<InboxRow> {
  const ofSubuser = subuserId === undefined ? {} : { 'tie.subuserId': subuserId };
  return { 'tie.id': id, 'tie.version': { $lt: version }, ...ofSubuser };
}
