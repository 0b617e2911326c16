import type { Collection, Db } from 'mongodb';
import type { TimePosition } from '@daycare/api';
import {
  afterPosition,
  chooseSlot,
  pushRequest,
  tryWrite,
  type CollectionIndexes,
  type DigestPart,
} from '@daycare/mongo';
import { maxEndpoints, type Endpoint, type ServedEndpoint } from '../domain/endpoints/endpoint';
import {
  documentOf,
  fieldsToUnset,
  toEndpoint,
  toServedEndpoint,
  type DoneRequest,
  type EndpointDocument,
  type EndpointDraft,
  type EndpointListing,
  type StoredCredential,
} from './endpoint-document';

export type { DoneRequest, ScopePosition, StoredCredential } from './endpoint-document';

/** `known`: this request has already created an endpoint. */
export type InsertOutcome =
  | { readonly outcome: 'inserted'; readonly endpoint: Endpoint }
  | { readonly outcome: 'known'; readonly endpoint: Endpoint; readonly request: DoneRequest }
  | { readonly outcome: 'too-many' };

/** An endpoint's user and owner. */
type EndpointUsers = Pick<Endpoint, 'userId' | 'ownerUserId'>;

/** An endpoint with the latest requests that changed it. */
export interface FoundEndpoint {
  readonly endpoint: Endpoint;
  readonly changedBy: readonly DoneRequest[];
}

const collection = 'endpoints';
const requestIndex = 'owner_request';
const live = { slot: { $exists: true } } as const;
/** How long retries of a deletion are recognised. */
const tombstoneMs = 24 * 60 * 60 * 1000;

export const endpointIndexes: CollectionIndexes = {
  collection,
  shardKey: { ownerUserId: 'hashed' },
  indexes: [
    {
      name: 'owner_slot',
      key: { ownerUserId: 1, slot: 1 },
      unique: true,
      partialFilterExpression: live,
    },
    {
      name: requestIndex,
      key: { ownerUserId: 1, userId: 1, 'createdBy.id': 1 },
      unique: true,
    },
    {
      name: 'user_oldest',
      key: { userId: 1, createdAt: 1, _id: 1 },
      partialFilterExpression: live,
    },
    {
      name: 'user_agent',
      key: { userId: 1, 'target.agentId': 1 },
      partialFilterExpression: live,
    },
    {
      name: 'password',
      key: { passwordHash: 1 },
      partialFilterExpression: { passwordHash: { $exists: true } },
    },
    { name: 'user', key: { userId: 1 } },
    { name: 'expiry', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** Users' endpoints. For a day, a deleted endpoint remains visible to retries, but to nothing else. */
export class EndpointStore {
  readonly #endpoints: Collection<EndpointDocument>;

  constructor(db: Db) {
    this.#endpoints = db.collection(collection);
  }

  /**
   * Stores a new endpoint. Unique slots limit an owner's endpoints even under concurrent inserts; an insert that
   * loses the race for a slot tries another.
   */
  async insert(
    endpoint: Omit<Endpoint, 'version' | 'updatedAt'>,
    credential: StoredCredential | undefined,
    request: DoneRequest,
  ): Promise<InsertOutcome> {
    const { userId, ownerUserId } = endpoint;
    for (;;) {
      const existing = await this.#endpoints.findOne({
        ownerUserId,
        userId,
        'createdBy.id': request.id,
      });
      if (existing) {
        const endpointOfRequest = toEndpoint(existing);
        return { outcome: 'known', endpoint: endpointOfRequest, request: existing.createdBy };
      }
      const slot = chooseSlot(await this.#takenSlots(ownerUserId), maxEndpoints, endpoint.id);
      if (slot === undefined) return { outcome: 'too-many' };
      const document = documentOf(endpoint, credential, request, slot);
      if (await tryWrite(() => this.#endpoints.insertOne(document)))
        return { outcome: 'inserted', endpoint: toEndpoint(document) };
    }
  }

  /** Reports whether this request has already created an endpoint. */
  async wasCreatedByRequest(users: EndpointUsers, requestId: string): Promise<boolean> {
    const created = { ...users, 'createdBy.id': requestId };
    return (await this.#endpoints.findOne(created)) !== null;
  }

  async find(userId: string, id: string): Promise<FoundEndpoint | undefined> {
    const document = await this.#endpoints.findOne({ _id: id, userId, ...live });
    return document ? { endpoint: toEndpoint(document), changedBy: document.changedBy } : undefined;
  }

  /** Returns undefined if the endpoint has been changed or deleted since it was read. */
  async change(
    { id: _id, userId, version }: Endpoint,
    { name, target, mode, auth, writtenBy, credential }: EndpointDraft,
    request: DoneRequest,
    now: Date,
  ): Promise<Endpoint | undefined> {
    const author = writtenBy ? { writtenBy } : {};
    const unset = {
      ...fieldsToUnset(auth, credential),
      ...(writtenBy ? {} : { writtenBy: '' as const }),
    };
    const changed = await this.#endpoints.findOneAndUpdate(
      { _id, userId, version, ...live },
      {
        $set: { name, target, mode, auth, ...author, ...credential, updatedAt: now },
        $inc: { version: 1 },
        $push: { changedBy: pushRequest(request) },
        ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}),
      },
      { returnDocument: 'after' },
    );
    return changed ? toEndpoint(changed) : undefined;
  }

  /** Returns whether this request deleted the endpoint, now or in an earlier attempt. */
  async delete(userId: string, id: string, requestId: string, now: Date): Promise<boolean> {
    const filter = { _id: id, userId, ...live };
    const { matchedCount } = await this.#endpoints.updateOne(filter, deletion(requestId, now));
    if (matchedCount > 0) return true;
    return (await this.#endpoints.findOne({ _id: id, userId, deletedBy: requestId })) !== null;
  }

  /** Deletes the endpoints whose target is the agent. Returns the deleted endpoints. */
  async deleteByAgent(userId: string, agentId: string, now: Date): Promise<readonly Endpoint[]> {
    const filter = { userId, 'target.agentId': agentId, ...live };
    const documents = await this.#endpoints.find(filter).toArray();
    if (documents.length > 0) await this.#endpoints.updateMany(filter, deletion('', now));
    return documents.map(toEndpoint);
  }

  /** Oldest first. */
  async list(userId: string, after: TimePosition | undefined, limit: number): Promise<Endpoint[]> {
    const oldestFirst = { createdAt: 1, _id: 1 } as const;
    const next = after && afterPosition(oldestFirst, { ...after, _id: after.id });
    const documents = await this.#endpoints
      .find({ userId, ...live, ...next })
      .sort(oldestFirst)
      .limit(limit)
      .toArray();
    return documents.map(toEndpoint);
  }

  /** Lists several users' endpoints by user, oldest first. */
  async listScope({ userIds, after, limit }: EndpointListing): Promise<Endpoint[]> {
    const order = { userId: 1, createdAt: 1, _id: 1 } as const;
    const next = after && afterPosition(order, { ...after, _id: after.id });
    const documents = await this.#endpoints
      .find({ ...liveOf(userIds), ...next })
      .sort(order)
      .limit(limit)
      .batchSize(limit)
      .toArray();
    return documents.map(toEndpoint);
  }

  /** For the edge, which knows only the id: finds an endpoint, whichever user it belongs to. */
  async findServed(id: string): Promise<ServedEndpoint | undefined> {
    const document = await this.#endpoints.findOne({ _id: id, ...live });
    return document ? toServedEndpoint(document) : undefined;
  }

  /** For the edge: reports whether any endpoint has this password. */
  async isPassword(passwordHash: string): Promise<boolean> {
    const endpoint = await this.#endpoints.findOne({ passwordHash }, { projection: { _id: 1 } });
    return endpoint !== null;
  }

  /** For the edge: returns the current versions of endpoints, leaving out deleted ones. */
  async versionsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const documents = await this.#endpoints
      .find({ _id: { $in: [...ids] }, ...live }, { projection: { version: 1 } })
      .toArray();
    return new Map(documents.map(({ _id, version }) => [_id, version]));
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#endpoints.deleteMany({ userId });
  }

  async #takenSlots(ownerUserId: string): Promise<(number | undefined)[]> {
    const taken = await this.#endpoints
      .find({ ownerUserId, ...live }, { projection: { _id: 0, slot: 1 }, hint: 'owner_slot' })
      .toArray();
    return taken.map(({ slot }) => slot);
  }
}

function deletion(requestId: string, now: Date) {
  const forgetAt = new Date(now.getTime() + tombstoneMs);
  return {
    $set: { deletedBy: requestId, forgetAt },
    $unset: { slot: '', passwordHash: '', sealedSecret: '' },
  } as const;
}

function liveOf(userIds: readonly string[]) {
  return { userId: { $in: [...userIds] }, ...live };
}

/** Selects several users' endpoints for a digest, which then changes whenever one of the endpoints changes. */
export function endpointPart(userIds: readonly string[]): DigestPart {
  return { collection, filter: liveOf(userIds), value: '$$ROOT' };
}
