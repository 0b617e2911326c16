import { randomInt } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import { digestOf, violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import { mostEndpoints, type Endpoint } from '../domain/endpoint';
import {
  documentOf,
  laterInScope,
  laterThan,
  toEndpoint,
  toServed,
  type DoneRequest,
  type EndpointDocument,
  type EndpointDraft,
  type EndpointListing,
  type EndpointPlace,
  type ServedEndpoint,
} from './endpoint-document';

export type { DoneRequest, EndpointPlace, ScopePlace, ServedEndpoint } from './endpoint-document';

/** What became of an insert: `known` when this request made one before. */
export type InsertOutcome =
  | { readonly outcome: 'inserted'; readonly endpoint: Endpoint }
  | { readonly outcome: 'known'; readonly endpoint: Endpoint; readonly request: DoneRequest }
  | { readonly outcome: 'too-many' };

/** An endpoint with the requests that changed it of late. */
export interface FoundEndpoint {
  readonly endpoint: Endpoint;
  readonly changedBy: readonly DoneRequest[];
}

const collection = 'endpoints';
const requestIndex = 'user_request';
const allSlots = Array.from({ length: mostEndpoints }, (_, slot) => slot);
const live = { slot: { $exists: true } } as const;
const requestsKept = 16;
/** As long as a caller may sensibly try again. */
const tombstoneMs = 24 * 60 * 60 * 1000;

export const endpointIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'user_slot', key: { userId: 1, slot: 1 }, unique: true, partialFilterExpression: live },
    { name: requestIndex, key: { userId: 1, 'createdBy.id': 1 }, unique: true },
    {
      name: 'user_oldest',
      key: { userId: 1, createdAt: 1, _id: 1 },
      partialFilterExpression: live,
    },
    { name: 'expiry', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** What users have made reachable. A deleted one is found by its retries only, for a day. */
export class EndpointStore {
  readonly #endpoints: Collection<EndpointDocument>;

  constructor(db: Db) {
    this.#endpoints = db.collection(collection);
  }

  /**
   * Keeps a new endpoint. The unique slots keep a user from having too many, whoever inserts at the same
   * moment; who loses a race for one takes the next.
   */
  async insert(
    endpoint: Omit<Endpoint, 'version' | 'updatedAt'>,
    passwordHash: string | undefined,
    request: DoneRequest,
  ): Promise<InsertOutcome> {
    const { userId } = endpoint;
    for (;;) {
      const known = await this.#endpoints.findOne({ userId, 'createdBy.id': request.id });
      if (known) return { outcome: 'known', endpoint: toEndpoint(known), request: known.createdBy };
      const slot = await this.#freeSlot(userId);
      if (slot === undefined) return { outcome: 'too-many' };
      const document = documentOf(endpoint, passwordHash, request, slot);
      if (await this.#tryInsert(document))
        return { outcome: 'inserted', endpoint: toEndpoint(document) };
    }
  }

  /** Whether this request has made one already. */
  async wasMadeBy(userId: string, requestId: string): Promise<boolean> {
    return (await this.#endpoints.findOne({ userId, 'createdBy.id': requestId })) !== null;
  }

  async find(userId: string, id: string): Promise<FoundEndpoint | undefined> {
    const found = await this.#endpoints.findOne({ _id: id, userId, ...live });
    return found ? { endpoint: toEndpoint(found), changedBy: found.changedBy } : undefined;
  }

  /** Undefined when it was changed or deleted since it was read. */
  async change(
    { id: _id, userId, version }: Endpoint,
    { name, target, mode, auth, passwordHash }: EndpointDraft,
    request: DoneRequest,
    now: Date,
  ): Promise<Endpoint | undefined> {
    const hash = passwordHash === undefined ? {} : { passwordHash };
    const found = await this.#endpoints.findOneAndUpdate(
      { _id, userId, version, ...live },
      {
        $set: { name, target, mode, auth, ...hash, updatedAt: now },
        $inc: { version: 1 },
        $push: { changedBy: { $each: [request], $slice: -requestsKept } },
        ...(auth === 'none' ? { $unset: { passwordHash: '' } } : {}),
      },
      { returnDocument: 'after' },
    );
    return found ? toEndpoint(found) : undefined;
  }

  /** Says whether it is gone by this very request, now or before. */
  async delete(userId: string, id: string, requestId: string, now: Date): Promise<boolean> {
    const forgetAt = new Date(now.getTime() + tombstoneMs);
    const { matchedCount } = await this.#endpoints.updateOne(
      { _id: id, userId, ...live },
      { $set: { deletedBy: requestId, forgetAt }, $unset: { slot: '', passwordHash: '' } },
    );
    if (matchedCount > 0) return true;
    return (await this.#endpoints.findOne({ _id: id, userId, deletedBy: requestId })) !== null;
  }

  /** Oldest first. */
  async list(userId: string, after: EndpointPlace | undefined, limit: number): Promise<Endpoint[]> {
    const found = await this.#endpoints
      .find({ userId, ...live, ...(after && laterThan(after)) })
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(toEndpoint);
  }

  /** Those of several users, by user and then the oldest first. */
  async listScope({ userIds, after, limit }: EndpointListing): Promise<Endpoint[]> {
    const found = await this.#endpoints
      .find({ userId: { $in: [...userIds] }, ...live, ...(after && laterInScope(after)) })
      .sort({ userId: 1, createdAt: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(toEndpoint);
  }

  async countScope(userIds: readonly string[]): Promise<number> {
    return this.#endpoints.countDocuments({ userId: { $in: [...userIds] }, ...live });
  }

  /** Differs when something of them does. */
  digestScope(userIds: readonly string[]): Promise<string> {
    return digestOf(this.#endpoints, { userId: { $in: [...userIds] }, ...live }, '$$ROOT');
  }

  /** For the edge, which knows no more than an id; whose it is comes with it. */
  async findServed(id: string): Promise<ServedEndpoint | undefined> {
    const found = await this.#endpoints.findOne({ _id: id, ...live });
    return found ? toServed(found) : undefined;
  }

  /** For the edge: the present versions of endpoints that have connections; those that are gone are missing. */
  async versionsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.#endpoints
      .find({ _id: { $in: [...ids] }, ...live }, { projection: { version: 1 } })
      .toArray();
    return new Map(found.map(({ _id, version }) => [_id, version]));
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#endpoints.deleteMany({ userId });
  }

  async #freeSlot(userId: string): Promise<number | undefined> {
    const taken = await this.#endpoints
      .find({ userId, ...live }, { projection: { _id: 0, slot: 1 }, hint: 'user_slot' })
      .toArray();
    const slots = new Set(taken.map(({ slot }) => slot));
    const free = allSlots.filter((slot) => !slots.has(slot));
    // Any of them, so that those who insert at the same moment hardly ever meet.
    return free.length > 0 ? free[randomInt(free.length)] : undefined;
  }

  async #tryInsert(document: EndpointDocument): Promise<boolean> {
    try {
      await this.#endpoints.insertOne(document);
      return true;
    } catch (error) {
      if (violatedIndex(error) === undefined) throw error;
      return false;
    }
  }
}
