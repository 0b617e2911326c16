import type { Collection, Db, Filter } from 'mongodb';
import { againOnDuplicate, markOf, type CollectionIndexes } from '@daycare/mongo';
import type { Agent } from '../domain/agent';
import type { DescriptorKind } from '../domain/descriptor';
import { gatewayKey } from '../domain/descriptor-kinds';

interface AgentDocument extends Omit<Agent, 'id'> {
  readonly _id: string;
  /** The descriptor's cache key, unique per user. */
  readonly key: string;
  /** The newest requests that changed its prompt. */
  readonly promptRequests?: readonly string[];
  /** When it was last given another name. */
  readonly renamedAt?: Date;
  /** When a dead agent is forgotten for good. */
  readonly expiresAt?: Date;
  /** Of its id. */
  readonly mark?: number;
}

export const agentCollection = 'agents';
const alive = { diedAt: { $exists: false } };
const rememberedRequests = 16;
/** How long it can be told that an agent has died. */
const tombstoneMs = 30 * 24 * 60 * 60 * 1000;

export const agentIndexes: CollectionIndexes = {
  collection: agentCollection,
  indexes: [
    { name: 'user_key', key: { userId: 1, key: 1 }, unique: true },
    { name: 'user_newest', key: { userId: 1, createdAt: -1, _id: -1 } },
    { name: 'user_foreground', key: { userId: 1, foreground: 1 } },
    {
      name: 'shard_newest_foreground',
      key: { shard: 1, createdAt: -1 },
      partialFilterExpression: { foreground: true },
    },
    {
      // All that a survey of many agents needs, so that it reads none of them.
      name: 'user_outline',
      key: { userId: 1, lastActiveAt: -1, kind: 1, diedAt: 1, renamedAt: 1, mark: 1 },
    },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

export interface AgentListing {
  readonly userId: string;
  readonly kinds: readonly DescriptorKind[];
  readonly includeDead: boolean;
  /** The last agent of the page before. */
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Who the agents are. What they do is in their inboxes and histories. */
export class AgentStore {
  readonly #agents: Collection<AgentDocument>;

  constructor(db: Db) {
    this.#agents = db.collection(agentCollection);
  }

  /** The agent of a key, made from the draft if there is none: the same one for all who ask at once. */
  async ensure(draft: Agent, key: string): Promise<{ agent: Agent; created: boolean }> {
    const { id: _id, userId, ...fields } = draft;
    const found = await againOnDuplicate(() =>
      this.#agents.findOneAndUpdate(
        { userId, key },
        { $setOnInsert: { _id, ...fields, mark: markOf(_id) } },
        { upsert: true, returnDocument: 'after' },
      ),
    );
    if (!found) throw new Error('an upsert returned nothing');
    return { agent: toAgent(found), created: found._id === _id };
  }

  async findByKey(userId: string, key: string): Promise<Agent | undefined> {
    return this.#findOne({ userId, key });
  }

  /** An agent whoever it belongs to; the caller decides who may know of it. */
  async find(id: string): Promise<Agent | undefined> {
    return this.#findOne({ _id: id });
  }

  async findMany(ids: readonly string[]): Promise<Agent[]> {
    const found = await this.#agents.find({ _id: { $in: [...ids] } }).toArray();
    return found.map(toAgent);
  }

  /** The living agents that talk with the user through connectors. */
  async listForeground(userId: string): Promise<Agent[]> {
    const found = await this.#agents.find({ userId, foreground: true, ...alive }).toArray();
    return found.map(toAgent);
  }

  /** Users in these shards who got a foreground agent since then. */
  async listUsersWithNewForeground(shards: readonly number[], since: Date): Promise<string[]> {
    const filter = { shard: { $in: [...shards] }, createdAt: { $gte: since }, foreground: true };
    const found = await this.#agents
      .find(filter, { projection: { userId: 1 }, hint: 'shard_newest_foreground' })
      .toArray();
    return [...new Set(found.map(({ userId }) => userId))];
  }

  /** Newest first. */
  async list({ userId, kinds, includeDead, after, limit }: AgentListing): Promise<Agent[]> {
    const filter: Filter<AgentDocument> = {
      userId,
      ...(kinds.length > 0 ? { kind: { $in: [...kinds] } } : {}),
      ...(includeDead ? {} : alive),
      ...(after ? { $or: olderThan(after) } : {}),
    };
    const found = await this.#agents
      .find(filter, { hint: 'user_newest' })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toAgent);
  }

  /** Agents by user and key. */
  async findByKeys(
    wanted: readonly { readonly userId: string; readonly key: string }[],
  ): Promise<Agent[]> {
    const userId = { $in: wanted.map((each) => each.userId) };
    const key = { $in: wanted.map((each) => each.key) };
    return (await this.#agents.find({ userId, key }).toArray()).map(toAgent);
  }

  /** How many background agents of a user anything has reached since then; one of them may be left out. */
  async countAwakeSubagents(userId: string, since: Date, exceptId: string): Promise<number> {
    return this.#agents.countDocuments({
      userId,
      kind: 'subagent',
      lastActiveAt: { $gte: since },
      'descriptor.id': { $ne: exceptId },
      ...alive,
    });
  }

  /**
   * Changes what an agent of a kind with a prompt of its own is told, once per request id: one that is
   * repeated does not undo a later one. False when the agent is not alive.
   */
  async setSystemPrompt(
    { userId, key }: { readonly userId: string; readonly key: string },
    systemPrompt: string,
    requestId: string,
  ): Promise<boolean> {
    const agent = { userId, key, 'descriptor.systemPrompt': { $exists: true }, ...alive };
    const { matchedCount } = await this.#agents.updateOne(
      { ...agent, promptRequests: { $ne: requestId } },
      {
        $set: { 'descriptor.systemPrompt': systemPrompt },
        $push: { promptRequests: { $each: [requestId], $slice: -rememberedRequests } },
      },
    );
    return matchedCount === 1 || (await this.#agents.countDocuments(agent, { limit: 1 })) === 1;
  }

  /** Changes what a gateway is called, unless it was given a newer name since. */
  async renameGateway(userId: string, name: string, renamedAt: Date): Promise<void> {
    await this.#agents.updateOne(
      { userId, key: gatewayKey(userId), ...alive, renamedAt: { $not: { $gt: renamedAt } } },
      { $set: { 'descriptor.name': name, renamedAt } },
    );
  }

  /** Something other than a silent message reaches the agent; `byPerson` when a person wrote it. */
  async touch(ids: readonly string[], now: Date, byPerson = false): Promise<void> {
    const activity = { lastActiveAt: now, ...(byPerson ? { lastUserActivityAt: now } : {}) };
    // Many senders at once need not all write down the same second.
    const lastActiveAt = { $lt: new Date(now.getTime() - 1_000) };
    await this.#agents.updateMany(
      { _id: { $in: [...ids] }, ...alive, ...(byPerson ? {} : { lastActiveAt }) },
      { $max: activity },
    );
  }

  /** A person has allowed an agent something; allowing it twice changes nothing. */
  async grant({ id, userId }: Pick<Agent, 'id' | 'userId'>, permission: string): Promise<void> {
    await this.#agents.updateOne(
      { _id: id, userId, ...alive },
      { $addToSet: { grantedPermissions: permission } },
    );
  }

  /** Ends an agent of a user; that it is dead can be told for a while. */
  async kill({ id, userId }: Pick<Agent, 'id' | 'userId'>, now: Date): Promise<void> {
    await this.#agents.updateOne({ _id: id, userId, ...alive }, { $set: deathAt(now) });
  }

  /** The same for all agents of a user. */
  async killOfUser(userId: string, now: Date): Promise<void> {
    await this.#agents.updateMany({ userId, ...alive }, { $set: deathAt(now) });
  }

  async #findOne(filter: Filter<AgentDocument>): Promise<Agent | undefined> {
    const found = await this.#agents.findOne(filter);
    return found ? toAgent(found) : undefined;
  }
}

function deathAt(now: Date): Pick<AgentDocument, 'diedAt' | 'expiresAt'> {
  return { diedAt: now, expiresAt: new Date(now.getTime() + tombstoneMs) };
}

function olderThan({ createdAt, id }: { createdAt: Date; id: string }): Filter<AgentDocument>[] {
  return [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }];
}

function toAgent(document: AgentDocument): Agent {
  const { _id: id, key: _key, expiresAt: _end, ...rest } = document;
  const { promptRequests: _requests, renamedAt: _at, mark: _mark, ...fields } = rest;
  return { id, ...fields };
}
