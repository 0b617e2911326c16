import type { CollectionIndexes } from '@daycare/mongo';
import type { Agent } from '../domain/agent';

/** One of a limited number of slots for agents; the unique index lets only one agent occupy each slot. */
export interface Slot {
  /** The owner and the group of agents that share the slots. */
  readonly slotOf: string;
  readonly slot: number;
}

/** An agent as it is stored. */
export interface AgentDocument extends Omit<Agent, 'id'>, Partial<Slot> {
  readonly _id: string;
  /** The descriptor's key, unique per user. */
  readonly key: string;
  /** The ids of the newest requests that changed its settings. */
  readonly configureRequests?: readonly string[];
  /** When it was last renamed. */
  readonly renamedAt?: Date;
  /** When the steps that follow its end are due next; absent while it is alive, and once none are left. */
  readonly endingDueAt?: Date;
  /** When a dead agent is deleted. */
  readonly expiresAt?: Date;
  /** The fingerprint of its id. */
  readonly mark?: number;
  /** How many times it was renamed, began to wait, stopped waiting or died; absent until then. */
  readonly changes?: number;
}

/** Part of every update of the fields that lists show, except for the times that decide whether the agent is awake. */
export const countOutlineChange = { $inc: { changes: 1 } } as const;

export const slotIndex = 'owner_slot';
export const agentCollection = 'agents';
export const alive = { diedAt: { $exists: false } };
export const agentIndexes: CollectionIndexes = {
  collection: agentCollection,
  shardKey: 'unsharded',
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
      // Covers the survey of many agents, so that it reads no documents.
      name: 'user_outline',
      key: { userId: 1, lastActiveAt: -1, kind: 1, diedAt: 1, mark: 1, changes: 1 },
    },
    {
      // Covers the survey of gateways.
      name: 'gateway_outline',
      key: { 'descriptor.id': 1, kind: 1, userId: 1, diedAt: 1, mark: 1 },
      partialFilterExpression: { kind: 'subuser' },
    },
    {
      name: slotIndex,
      key: { slotOf: 1, slot: 1 },
      unique: true,
      partialFilterExpression: { slot: { $exists: true } },
    },
    {
      name: 'owner_awake',
      key: { ownerUserId: 1, kind: 1, lastActiveAt: 1 },
      partialFilterExpression: { ownerUserId: { $exists: true } },
    },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

export function toAgent(document: AgentDocument): Agent {
  const { _id: id, key: _key, expiresAt: _end, endingDueAt: _due, ...rest } = document;
  const { configureRequests: _requests, renamedAt: _at, mark: _mark, changes: _n, ...more } = rest;
  const { slotOf: _owner, slot: _slot, ...fields } = more;
  return { id, ...fields };
}
