import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import { afterPosition, pushRequest } from '@daycare/mongo';
import type { Agent, AgentAddress, AgentWait } from '../domain/agent';
import { changedFields, type AgentSettings } from '../domain/agent-settings';
import { defaultAgentLimits, type AgentLimits } from '../domain/agent-limits';
import type { DescriptorKind } from '../domain/descriptor/descriptor';
import { gatewayKey } from '../domain/descriptor/descriptor-kinds';
import { activityPrecisionMs, AgentActivity } from './agent-activity';
import {
  agentCollection,
  alive,
  countOutlineChange,
  toAgent,
  type AgentDocument,
} from './agent-document';
import { AgentFinder, type UserKey } from './agent-finder';
import { AgentSlots, freedSlot, type EnsuredAgent } from './agent-slots';

export interface AgentListing {
  readonly userId: string;
  readonly kinds: readonly DescriptorKind[];
  readonly includeDead: boolean;
  /** The last agent of the previous page. */
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

const anything = { $exists: true };
/** How long a dead agent remains visible as dead. */
const tombstoneMs = 30 * 24 * 60 * 60 * 1000;

/** The agents, without their inboxes and histories. */
export class AgentStore {
  readonly #agents: Collection<AgentDocument>;
  readonly #finder: AgentFinder<AgentDocument>;
  readonly #activity: AgentActivity;
  readonly #slots: AgentSlots;

  constructor(db: Db, limits: AgentLimits = defaultAgentLimits) {
    this.#agents = db.collection(agentCollection);
    this.#slots = new AgentSlots(this.#agents, limits);
    this.#finder = new AgentFinder(this.#agents);
    this.#activity = new AgentActivity((...activity) => this.#storeActivity(...activity));
  }

  /**
   * Finds the agent with this key or else inserts the draft; concurrent callers get the same agent. Inserting throws
   * when the owner has reached the limit on the agent's group.
   */
  ensure(draft: Agent, key: string): Promise<EnsuredAgent> {
    return this.#slots.ensure(draft, key);
  }

  async findByKey(userId: string, key: string): Promise<Agent | undefined> {
    const found = await this.#finder.findByKey(userId, key);
    return found && toAgent(found);
  }

  /** Finds any user's agent; the caller decides who may see it. */
  async find(id: string): Promise<Agent | undefined> {
    const found = await this.#finder.find(id);
    return found && toAgent(found);
  }

  async findMany(ids: readonly string[]): Promise<Agent[]> {
    const found = await this.#agents.find({ _id: { $in: [...ids] } }).toArray();
    return found.map(toAgent);
  }

  /** Lists the user's living agents that talk to people through connectors. */
  async listForeground(userId: string): Promise<Agent[]> {
    const found = await this.#finder.listForeground(userId);
    return found.filter(({ diedAt }) => !diedAt).map(toAgent);
  }

  /** Lists the users in these shards for whom a foreground agent has been created since the given time. */
  async listUsersWithNewForeground(shards: readonly number[], since: Date): Promise<string[]> {
    const filter = { shard: { $in: [...shards] }, createdAt: { $gte: since }, foreground: true };
    const found = await this.#agents
      .find(filter, { projection: { userId: 1 }, hint: 'shard_newest_foreground' })
      .toArray();
    return [...new Set(found.map(({ userId }) => userId))];
  }

  /** Lists a user's agents, newest first. */
  async list({ userId, kinds, includeDead, after, limit }: AgentListing): Promise<Agent[]> {
    const newestFirst = { createdAt: -1, _id: -1 } as const;
    const filter: Filter<AgentDocument> = {
      userId,
      ...(kinds.length > 0 ? { kind: { $in: [...kinds] } } : {}),
      ...(includeDead ? {} : alive),
      ...(after && afterPosition(newestFirst, { ...after, _id: after.id })),
    };
    const found = await this.#agents
      .find(filter, { hint: 'user_newest' })
      .sort(newestFirst)
      .limit(limit)
      .toArray();
    return found.map(toAgent);
  }

  /** Finds agents by user and key; the result may include other combinations of these users and keys. */
  async findByKeys(wanted: readonly UserKey[]): Promise<Agent[]> {
    return (await this.#finder.findPairs(wanted)).map(toAgent);
  }

  /**
   * Counts the background agents of an owner and its subusers that have been active since the given time,
   * except the one with the descriptor id `exceptId`.
   */
  async countAwakeSubagents(ownerId: string, since: Date, exceptId: string): Promise<number> {
    const awake: Filter<AgentDocument> = {
      kind: 'subagent',
      lastActiveAt: { $gte: since },
      'descriptor.id': { $ne: exceptId },
      ...alive,
    };
    return this.#agents.countDocuments({
      $or: [
        { userId: ownerId, ...awake },
        { ownerUserId: ownerId, ...awake },
      ],
    });
  }

  /**
   * Changes an agent's settings, once per request id, so that a retry does not undo a later change. Returns false when
   * the agent is not alive, or when a system prompt is given but the agent's kind has none.
   */
  async configure(
    { userId, key }: UserKey,
    settings: AgentSettings,
    { requestId, now }: { readonly requestId: string; readonly now: Date },
  ): Promise<boolean> {
    const { name, systemPrompt } = settings;
    const hasPrompt = systemPrompt === undefined ? {} : { 'descriptor.systemPrompt': anything };
    const agent = { userId, key, ...hasPrompt, ...alive };
    const { matchedCount } = await this.#agents.updateOne(
      { ...agent, configureRequests: { $ne: requestId } },
      {
        ...replaceFields(changedFields(settings, now)),
        $push: { configureRequests: pushRequest(requestId) },
        ...(name === undefined ? {} : countOutlineChange),
      },
    );
    return matchedCount === 1 || (await this.#agents.countDocuments(agent, { limit: 1 })) === 1;
  }

  /** Renames a gateway, unless it has a newer name already. */
  async renameGateway(userId: string, name: string, renamedAt: Date): Promise<void> {
    await this.#agents.updateOne(
      { userId, key: gatewayKey(userId), ...alive, renamedAt: { $not: { $gt: renamedAt } } },
      {
        $set: { 'descriptor.name': name, renamedAt },
        $unset: { nameTrust: 1 as const },
        ...countOutlineChange,
      },
    );
  }

  /**
   * Records that these agents received or recorded something that is not silent; with `byPerson`, that a person
   * wrote to them. Except for a person's activity, this process writes at most once a second for each agent, so the
   * stored time may be a second too early.
   */
  async touch(ids: readonly string[], at: Date, byPerson = false): Promise<void> {
    await Promise.all(ids.map((agentId) => this.#activity.record({ agentId, at, byPerson })));
  }

  /** Records what an agent is waiting for, or that it is no longer waiting; for lists only. */
  async setWaiting(
    { agentId, userId }: AgentAddress,
    waiting: AgentWait | undefined,
  ): Promise<void> {
    const change = waiting ? { $set: { waiting } } : { $unset: { waiting: 1 as const } };
    const filter = { _id: agentId, userId, ...alive };
    await this.#agents.updateOne(filter, { ...change, ...countOutlineChange });
  }

  /** Records that an agent sends channel messages or emits signals. */
  async markWired({ agentId, userId }: AgentAddress): Promise<void> {
    await this.#agents.updateOne({ _id: agentId, userId }, { $set: { isWired: true } });
  }

  /** Marks a user's agent as dead; it remains visible as dead for a while. */
  async kill({ id, userId }: Pick<Agent, 'id' | 'userId'>, now: Date): Promise<void> {
    await this.#agents.updateOne({ _id: id, userId, ...alive }, deathAt(now));
  }

  /**
   * Marks all of a deleted user's agents as dead, and clears the names, descriptions and prompts of all of them,
   * including those that died earlier.
   */
  async killByUser(userId: string, now: Date): Promise<void> {
    await this.#agents.updateMany({ userId, ...alive }, deathAt(now));
    await this.#agents.updateMany({ userId }, [{ $set: erasedWording }]);
  }

  #storeActivity(activeAt: ReadonlyMap<string, Date>, byPerson: boolean): Promise<unknown> {
    const ids = [...activeAt.keys()];
    const newTime = {
      $arrayElemAt: [[...activeAt.values()], { $indexOfArray: [{ $literal: ids }, '$_id'] }],
    };
    const latest = (field: string) => ({ $max: [`$${field}`, newTime] });
    // Skips agents whose stored time is precise enough: another replica may just have written it.
    const isLater = { $gt: [{ $subtract: [newTime, activityPrecisionMs] }, '$lastActiveAt'] };
    return this.#agents.updateMany(
      { _id: { $in: ids }, ...alive, ...(byPerson ? {} : { $expr: isLater }) },
      [
        {
          $set: {
            lastActiveAt: latest('lastActiveAt'),
            ...(byPerson ? { lastUserActivityAt: latest('lastUserActivityAt') } : {}),
          },
        },
      ],
    );
  }
}

/** The update that marks an agent as dead; it also frees the agent's slot. */
export function deathAt(now: Date) {
  const expiresAt = new Date(now.getTime() + tombstoneMs);
  return { $set: { diedAt: now, expiresAt }, $unset: freedSlot, ...countOutlineChange } as const;
}

/** Returns the update that stores these fields, and removes those that are undefined. */
function replaceFields(fields: object): Pick<UpdateFilter<AgentDocument>, '$set' | '$unset'> {
  const all = Object.entries(fields);
  const removed = all.flatMap(([name, value]) => (value === undefined ? [[name, 1] as const] : []));
  return {
    $set: Object.fromEntries(all.filter(([, value]) => value !== undefined)),
    $unset: Object.fromEntries<1>(removed),
  };
}

/** Clears what people and models wrote about an agent; adds no fields that its descriptor does not have. */
const erasedWording = Object.fromEntries(
  ['name', 'description', 'systemPrompt'].map((field) => {
    const path = `descriptor.${field}`;
    const isMissing = { $eq: [{ $type: `$${path}` }, 'missing'] };
    return [path, { $cond: [isMissing, '$$REMOVE', ''] }];
  }),
);
