import type { Collection, Db, Document, Filter, Timestamp } from 'mongodb';
import { againOnDuplicate, type CollectionIndexes } from '@daycare/mongo';
import type { PermissionRequest, PermissionState } from '../domain/permission';
import {
  changed,
  changedAfter,
  creation,
  expiry,
  inState,
  literally,
  olderThan,
  shortlyBefore,
  toRequest,
  type PermissionDocument,
  type StoredPermission,
} from './permission-document';

export type { StoredPermission } from './permission-document';

/** When requests changed, by the database's own clock; later changes have a later mark. */
export type ChangeMark = Timestamp;

export interface PermissionChange {
  readonly request: StoredPermission;
  readonly mark: ChangeMark;
}

export interface PermissionListing {
  /** The user who asks: for its own and its subusers'. */
  readonly reader: string;
  /** Empty for every state. */
  readonly states: readonly PermissionState[];
  /** Empty for every agent. */
  readonly agentId: string;
  /** The last request of the page before. */
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

const collection = 'permissions';
const changesAtOnce = 200;
const pendingOnly = { partialFilterExpression: { state: 'pending' } };

export const permissionIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'reader_newest', key: { readers: 1, createdAt: -1, _id: -1 } },
    { name: 'reader_changes', key: { readers: 1, order: 1, _id: 1 } },
    { name: 'pending', key: { expiresAt: 1 }, ...pendingOnly },
    { name: 'owed', key: { owedSince: 1 }, sparse: true },
    { name: 'expiry', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** What agents asked to be allowed, and what became of it. Decided once; expired by time. */
export class PermissionStore {
  readonly #requests: Collection<PermissionDocument>;

  constructor(db: Db) {
    this.#requests = db.collection(collection);
  }

  /** Keeps a request; one that was kept before stays as it is. Returns how it stands. */
  async create(request: PermissionRequest): Promise<StoredPermission> {
    const found = await againOnDuplicate(() =>
      this.#requests.findOneAndUpdate({ _id: request.id }, creation(request), {
        upsert: true,
        returnDocument: 'after',
      }),
    );
    if (!found) throw new Error('an upsert returned nothing');
    return toRequest(found, request.createdAt);
  }

  /** A request that the user may know of. */
  async find(reader: string, id: string, now: Date): Promise<StoredPermission | undefined> {
    const found = await this.#requests.findOne({ _id: id, readers: reader });
    return found ? toRequest(found, now) : undefined;
  }

  /** Newest first. */
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
   * Decides a request, unless it was decided or has expired: then undefined. What follows from the
   * decision is owed until `settle`.
   */
  async decide(
    { id, userId }: PermissionRequest,
    decision: Pick<PermissionRequest, 'state' | 'decisionTo'>,
    now: Date,
  ): Promise<StoredPermission | undefined> {
    const decided = literally({ ...decision, decidedAt: now, owedSince: now });
    const isPending = { _id: id, readers: userId, ...inState('pending', now) };
    return this.#change(isPending, [{ $set: decided }], now);
  }

  /** Ends a request that nobody can decide any more; undefined when it has ended otherwise. */
  async lapse({ id, userId }: PermissionRequest, now: Date): Promise<StoredPermission | undefined> {
    return this.#change({ _id: id, readers: userId, state: 'pending' }, expiry, now);
  }

  /** Writes down for some requests that their time is over; returns those that changed just now. */
  async expireBefore(now: Date, limit: number): Promise<StoredPermission[]> {
    const isOver = { state: 'pending' as const, expiresAt: { $lte: now } };
    const found = await this.#requests
      .find(isOver, { projection: { _id: 1 }, hint: 'pending' })
      .sort({ expiresAt: 1 })
      .limit(limit)
      .toArray();
    const ended = await Promise.all(
      found.map(({ _id }) => this.#change({ _id, ...isOver }, expiry, now)),
    );
    return ended.filter((request) => request !== undefined);
  }

  /** Requests from whose last change, before this time, something may not have followed yet. */
  async listOwed(before: Date, limit: number): Promise<StoredPermission[]> {
    const found = await this.#requests
      .find({ owedSince: { $lt: before } })
      .sort({ owedSince: 1 })
      .limit(limit)
      .toArray();
    return found.map((document) => toRequest(document, before));
  }

  /** All that follows from the request as it was read is done; a later change is not touched. */
  async settle({ id, userId, decidedAt, owedSince }: StoredPermission): Promise<void> {
    if (!owedSince) return;
    const asRead = { decidedAt: decidedAt ?? { $exists: false }, owedSince };
    await this.#requests.updateOne(
      { _id: id, readers: userId, ...asRead },
      { $unset: { owedSince: 1 } },
    );
  }

  /** The mark of the newest change that the user may know of; undefined when there was none. */
  async newestChange(reader: string): Promise<ChangeMark | undefined> {
    const [newest] = await this.#requests
      .find({ readers: reader }, { projection: { order: 1 } })
      .sort({ order: -1, _id: -1 })
      .limit(1)
      .toArray();
    return newest?.order;
  }

  /**
   * What has changed since a mark, oldest first, and again what changed shortly before it: a change may
   * have become visible late. Everything when there is no mark.
   */
  async *changesSince(
    reader: string,
    mark: ChangeMark | undefined,
    now: () => Date,
  ): AsyncGenerator<PermissionChange> {
    let after = { order: shortlyBefore(mark), _id: '' };
    for (;;) {
      const found = await this.#requests
        .find({ readers: reader, ...changedAfter(after) }, { hint: 'reader_changes' })
        .sort({ order: 1, _id: 1 })
        .limit(changesAtOnce)
        .toArray();
      for (const document of found)
        yield { request: toRequest(document, now()), mark: document.order };
      const last = found.at(-1);
      if (!last || found.length < changesAtOnce) return;
      after = last;
    }
  }

  /** Also what agents of the user's subusers asked. */
  async deleteOfUser(userId: string): Promise<void> {
    await this.#requests.deleteMany({ readers: userId });
  }

  async #change(
    filter: Filter<PermissionDocument>,
    stages: readonly Document[],
    now: Date,
  ): Promise<StoredPermission | undefined> {
    const found = await this.#requests.findOneAndUpdate(filter, [...stages, { $set: changed }], {
      returnDocument: 'after',
    });
    return found ? toRequest(found, now) : undefined;
  }
}
