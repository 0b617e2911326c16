import type { Collection, Db, Filter } from 'mongodb';
import { closingKey, type MessageTie } from '../domain/closed-tie';
import type { MessageRef } from '../domain/inbox-item';
import { inboxCollection, rememberedMs, rowId, type InboxRow } from './inbox-row';
import { wakeKeyExpression } from './wake-key';

/** The ids of the rows that turns in progress have taken, keyed by the id of the turn's agent. */
export type TakenRows = ReadonlyMap<string, readonly string[]>;

/** How many messages from one side of a tie are waiting. */
export interface WaitingCount {
  readonly tieId: string;
  readonly userId: string;
  readonly count: number;
}

/** The ids of the next ties with waiting messages, in ascending order, and whether more may follow. */
export interface TiePage {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** The waiting messages that ties allow: finds them by their ties, and drops those that a closing forbids. */
export class TiedMessageStore {
  readonly #rows: Collection<InboxRow>;

  constructor(db: Db) {
    this.#rows = db.collection(inboxCollection);
  }

  /** Returns the ids of the agents with waiting messages that the closing forbids. */
  async findAffectedAgents(closing: MessageTie): Promise<string[]> {
    const found = await this.#rows.distinct('waitingFor', forbiddenMessagesFilter(closing));
    return found.filter((agentId) => agentId !== undefined);
  }

  /**
   * Drops the waiting messages that the closing forbids: their text is erased, but their ids are remembered. A message
   * that turns in progress have taken stays, but only for the agents of these turns.
   */
  async drop(closing: MessageTie, taken: TakenRows, now: Date): Promise<void> {
    for (const { agentIds, ids } of groupByAgents(taken)) {
      const isTaker = { $in: ['$$this', { $literal: agentIds }] };
      const takers = { $filter: { input: '$waitingFor', cond: isTaker } };
      await this.#rows.updateMany(
        { ...forbiddenMessagesFilter(closing), _id: { $in: ids }, waitingFor: { $in: agentIds } },
        [{ $set: { waitingFor: takers, wakeKey: wakeKeyExpression(takers) } }, { $unset: 'tie' }],
        { hint: '_id_' },
      );
    }
    await this.#rows.updateMany(
      forbiddenMessagesFilter(closing),
      {
        $set: { droppedBy: closingKey(closing), expiresAt: new Date(now.getTime() + rememberedMs) },
        $unset: { waitingFor: 1, wakeKey: 1, unrouted: 1, item: 1, tie: 1 },
      },
      { hint: 'tie' },
    );
  }

  /** Returns the messages that a closing has dropped, each with the user who would have received it. */
  async findDroppedMessages(closing: MessageTie): Promise<MessageRef[]> {
    const found = await this.#rows
      .find({ droppedBy: closingKey(closing) }, { projection: { userId: 1 }, hint: 'dropped' })
      .toArray();
    return found.map(({ _id, userId }) => ({ id: _id.slice(userId.length + 1), userId }));
  }

  /** Returns the ids of the given messages that were dropped. */
  async filterDropped(messages: readonly MessageRef[]): Promise<ReadonlySet<string>> {
    const idOf = new Map(messages.map(({ id, userId }) => [rowId(userId, id), id]));
    const found = await this.#rows
      .find(
        { _id: { $in: [...idOf.keys()] }, droppedBy: { $exists: true } },
        { projection: { _id: 1 }, hint: '_id_' },
      )
      .toArray();
    return new Set(found.flatMap(({ _id }) => idOf.get(_id) ?? []));
  }

  /** Returns the ties after the given one that have waiting messages. Reads at most `limit` index keys, and no rows. */
  async waitingTies(after: string, limit: number): Promise<TiePage> {
    const found = await this.#rows
      .find({ 'tie.id': { $gt: after } }, { projection: { _id: 0, 'tie.id': 1 }, hint: 'tie' })
      .sort({ 'tie.id': 1, 'tie.version': 1 })
      .limit(limit)
      .toArray();
    const ids = new Set(found.flatMap(({ tie }) => tie?.id ?? []));
    return { ids: [...ids], hasMore: found.length === limit };
  }

  /**
   * Returns the lowest version among each tie's waiting messages, separately for each subuser and for messages without
   * one. Reads only the index.
   */
  async findLowestWaitingVersions(tieIds: readonly string[]): Promise<MessageTie[]> {
    if (tieIds.length === 0) return [];
    const group = { id: '$tie.id', subuserId: '$tie.subuserId' };
    const found = await this.#rows
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

  /** Counts the waiting messages from each side of these ties. Reads only the index. */
  async countWaitingBySide(tieIds: readonly string[]): Promise<readonly WaitingCount[]> {
    if (tieIds.length === 0) return [];
    const found = await this.#rows
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
}

function forbiddenMessagesFilter({ id, version, subuserId }: MessageTie): Filter<InboxRow> {
  const ofSubuser = subuserId === undefined ? {} : { 'tie.subuserId': subuserId };
  return { 'tie.id': id, 'tie.version': { $lt: version }, ...ofSubuser };
}

/** Groups rows that the turns of the same agents have taken. */
function groupByAgents(taken: TakenRows) {
  const agentIdsOf = new Map<string, string[]>();
  for (const [agentId, ids] of taken)
    for (const id of ids) agentIdsOf.set(id, [...(agentIdsOf.get(id) ?? []), agentId]);
  const groups = new Map<string, { readonly agentIds: string[]; readonly ids: string[] }>();
  for (const [id, agentIds] of agentIdsOf) {
    const group = groups.get(agentIds.join(' ')) ?? { agentIds, ids: [] };
    groups.set(agentIds.join(' '), group);
    group.ids.push(id);
  }
  return groups.values();
}
