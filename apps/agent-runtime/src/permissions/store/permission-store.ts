import type { Collection, Db, Document, Filter } from 'mongodb';
import { tryWrite, type CollectionIndexes } from '@daycare/mongo';
import type { PendingSlots, TakenSlots } from '../domain/pending-slots';
import type { PermissionRequest, PermissionState } from '../domain/permission';
import {
  changeStamp,
  creation,
  expiry,
  inState,
  literally,
  olderThan,
  permissionCollection,
  toRequest,
  type PermissionDocument,
  type StoredPermission,
} from './permission-document';

export type { StoredPermission } from './permission-document';

/** A pending request and the slots that it occupies. */
export interface PendingPermission extends TakenSlots {
  readonly request: StoredPermission;
}

export interface PermissionListing {
  /** The user who lists requests: those from the user's own agents and from the agents of the user's subusers. */
  readonly reader: string;
  /** Empty for all states. */
  readonly states: readonly PermissionState[];
  /** Empty for all agents. */
  readonly agentId: string;
  /** The last request of the previous page. */
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/**
 * MongoDB aborts changes that take longer: readers would miss a change that became visible long after changes with
 * later marks.
 */
const maxChangeMs = 8_000;
const pendingOnly = { partialFilterExpression: { state: 'pending' } };

export const permissionIndexes: CollectionIndexes = {
  collection: permissionCollection,
  shardKey: { decider: 'hashed' },
  indexes: [
    { name: 'reader_newest', key: { readers: 1, createdAt: -1, _id: -1 } },
    { name: 'reader_changes', key: { readers: 1, order: 1, _id: 1 } },
    {
      name: 'feed_changes',
      key: { feed: 1, order: 1, _id: 1 },
      partialFilterExpression: { feed: { $exists: true } },
    },
    { name: 'pending', key: { expiresAt: 1 }, ...pendingOnly },
    // No two pending requests can have the same key or occupy the same slot. The collection is sharded by the decider,
    // so the index keys begin with it; that does not weaken uniqueness, because each agent has only one decider.
    { name: 'decider_key', key: { decider: 1, key: 1 }, unique: true, ...pendingOnly },
    {
      name: 'decider_agent',
      key: { decider: 1, agentId: 1, agentPlace: 1 },
      unique: true,
      ...pendingOnly,
    },
    { name: 'agent_pending', key: { agentId: 1 }, ...pendingOnly },
    {
      name: 'pending_of_decider',
      key: { decider: 1, deciderPlace: 1 },
      unique: true,
      ...pendingOnly,
    },
    { name: 'owed', key: { owedSince: 1 }, sparse: true },
    { name: 'expiry', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/**
 * Stores permission requests and their outcomes. A request is decided at most once, and expires if it is not decided in
 * time.
 */
export class PermissionStore {
  readonly #requests: Collection<PermissionDocument>;

  constructor(db: Db) {
    this.#requests = db.collection(permissionCollection);
  }

  /**
   * Stores a request in these slots, or leaves it unchanged if it is already stored. Returns the stored request, or
   * undefined when another request has taken one of the slots, or the same key, in the meantime.
   */
  async create(
    request: PermissionRequest,
    slots: PendingSlots,
  ): Promise<StoredPermission | undefined> {
    const found = await tryWrite(() =>
      this.#requests.findOneAndUpdate({ _id: request.id }, creation(request, slots), {
        upsert: true,
        returnDocument: 'after',
        maxTimeMS: maxChangeMs,
      }),
    );
    return found ? toRequest(found, request.createdAt) : undefined;
  }

  /** Lists the stored pending requests that a user has to decide, including overdue ones. */
  async listPending(decider: string): Promise<PendingPermission[]> {
    const found = await this.#requests
      .find({ decider, state: 'pending' }, { hint: 'pending_of_decider' })
      .toArray();
    return found.map((document) => {
      const { key, agentPlace, deciderPlace, agentId, expiresAt } = document;
      const request = toRequest(document, expiresAt);
      return { request: { ...request, state: 'pending' }, key, agentPlace, deciderPlace, agentId };
    });
  }

  /** Reports whether any of the agent's requests is waiting for a decision. */
  async hasPending(agentId: string, now: Date): Promise<boolean> {
    const isPending = { agentId, state: 'pending' as const, expiresAt: { $gt: now } };
    return (await this.#requests.findOne(isPending, { hint: 'agent_pending' })) !== null;
  }

  /** Lists the pending requests that an agent made in one turn. */
  async listByTurn(agentId: string, turn: number): Promise<StoredPermission[]> {
    const found = await this.#requests
      .find({ agentId, state: 'pending' }, { hint: 'agent_pending' })
      .toArray();
    return found
      .filter(({ askedIn }) => askedIn?.turn === turn)
      .map((document) => toRequest(document, document.createdAt));
  }

  /** Finds a request that the user may see. */
  async find(reader: string, id: string, now: Date): Promise<StoredPermission | undefined> {
    const found = await this.#requests.findOne({ _id: id, readers: reader });
    return found ? toRequest(found, now) : undefined;
  }

  /** Lists requests, newest first. */
  async list(listing: PermissionListing, now: Date): Promise<StoredPermission[]> {
    const { reader, states, agentId, after, limit } = listing;
    const ofAgent = agentId === '' ? {} : { agentId };
    const wanted = states.length > 0 ? { $or: states.map((state) => inState(state, now)) } : {};
    const found = await this.#requests
      .find(
        { $and: [{ readers: reader }, ofAgent, wanted, after ? olderThan(after) : {}] },
        { hint: 'reader_newest' },
      )
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map((document) => toRequest(document, now));
  }

  /**
   * Decides a request; returns undefined if it was already decided or has expired. The consequences are outstanding
   * until `settle`.
   */
  async decide(
    { id, userId }: PermissionRequest,
    decision: Pick<PermissionRequest, 'state' | 'decision' | 'decisionTo' | 'grantUntil'>,
    now: Date,
  ): Promise<StoredPermission | undefined> {
    const decided = literally({ ...decision, decidedAt: now, owedSince: now });
    const isPending = { _id: id, readers: userId, ...inState('pending', now) };
    return this.#change(isPending, [{ $set: decided }], now);
  }

  /** Expires a pending request, even before its deadline; returns undefined if the request is no longer pending. */
  async expire(
    { id, userId }: PermissionRequest,
    now: Date,
  ): Promise<StoredPermission | undefined> {
    return this.#change({ _id: id, readers: userId, state: 'pending' }, expiry, now);
  }

  /** Stores the expiry of overdue requests; returns those that this call has expired. */
  async expireBefore(now: Date, limit: number): Promise<StoredPermission[]> {
    const isOverdue = { state: 'pending' as const, expiresAt: { $lte: now } };
    const found = await this.#requests
      .find(isOverdue, { projection: { _id: 1 }, hint: 'pending' })
      .sort({ expiresAt: 1 })
      .limit(limit)
      .toArray();
    const ended = await Promise.all(
      found.map(({ _id }) => this.#change({ _id, ...isOverdue }, expiry, now)),
    );
    return ended.filter((request) => request !== undefined);
  }

  /** Returns the earliest deadline of all pending requests, which may have passed; undefined when none are pending. */
  async nextExpiry(): Promise<Date | undefined> {
    const options = {
      projection: { expiresAt: 1 },
      sort: { expiresAt: 1 },
      hint: 'pending',
    } as const;
    return (await this.#requests.findOne({ state: 'pending' }, options))?.expiresAt;
  }

  /** Lists requests whose consequences became due before this time and may be incomplete. */
  async listOutstanding(before: Date, limit: number): Promise<StoredPermission[]> {
    const found = await this.#requests
      .find({ owedSince: { $lt: before } })
      .sort({ owedSince: 1 })
      .limit(limit)
      .toArray();
    return found.map((document) => toRequest(document, before));
  }

  /**
   * Marks the consequences of a request as complete, unless the request has changed since it was read.
   */
  async settle({ id, userId, decidedAt, owedSince }: StoredPermission): Promise<void> {
    if (!owedSince) return;
    const asRead = { decidedAt: decidedAt ?? { $exists: false }, owedSince };
    await this.#requests.updateOne(
      { _id: id, readers: userId, ...asRead },
      { $unset: { owedSince: 1 } },
    );
  }

  /** Also deletes requests from the user's subusers' agents. */
  async deleteByUser(userId: string): Promise<void> {
    await this.#requests.deleteMany({ readers: userId });
  }

  async #change(
    filter: Filter<PermissionDocument>,
    stages: readonly Document[],
    now: Date,
  ): Promise<StoredPermission | undefined> {
    const found = await this.#requests.findOneAndUpdate(
      filter,
      [...stages, { $set: changeStamp }],
      {
        returnDocument: 'after',
        maxTimeMS: maxChangeMs,
      },
    );
    return found ? toRequest(found, now) : undefined;
  }
}
