import { Timestamp, type Collection, type Db } from 'mongodb';
import { readSince, type ReadTimes } from '@daycare/mongo';
import type { FeedRange } from '../../agents';
import {
  permissionCollection,
  toRequest,
  type PermissionDocument,
  type StoredPermission,
} from './permission-document';

/** Identifies a change to a request by its position in the connector's feed and the request's id. */
export interface PermissionKey {
  readonly order: bigint;
  readonly id: string;
}

export interface FeedPermission extends PermissionKey {
  readonly request: StoredPermission;
}

const byOrder = { order: 1, _id: 1 } as const;
const hint = 'feed_changes';

/** Reads the permission requests that are shown in a connector's channels, in the order of their last change. */
export class PermissionFeedStore {
  readonly #db: Db;
  readonly #requests: Collection<PermissionDocument>;

  constructor(db: Db) {
    this.#db = db;
    this.#requests = db.collection(permissionCollection);
  }

  /**
   * Returns at most `limit` changes whose order is higher than `after`, lowest first, read from the index alone.
   * Changes that were written by the time `since` are returned without gaps; of later ones, some may still be missing.
   */
  async listChanges(
    feed: string,
    { after, since, limit }: FeedRange,
  ): Promise<ReadTimes & { readonly changes: readonly PermissionKey[] }> {
    const { found, ...times } = await readSince(this.#db.client, since, (session) =>
      this.#requests
        .find(
          { feed, order: { $gt: new Timestamp(after) } },
          { projection: { order: 1 }, hint, session },
        )
        .sort(byOrder)
        .limit(limit)
        .toArray(),
    );
    return { changes: found.map(toKey), ...times };
  }

  /** Returns the latest changes, newest first, read from the index alone. */
  async newestChanges(feed: string, limit: number): Promise<readonly PermissionKey[]> {
    const found = await this.#requests
      .find({ feed }, { projection: { order: 1 }, hint })
      .sort({ order: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toKey);
  }

  /**
   * Returns these requests as they are stored, each with the key of its newest change. An overdue request is returned
   * as pending until its expiry is stored, because the expiry is a separate change.
   */
  async readChanges(feed: string, ids: readonly string[]): Promise<FeedPermission[]> {
    if (ids.length === 0) return [];
    const found = await this.#requests.find({ _id: { $in: [...ids] }, feed }).toArray();
    return found.map((document) => ({
      ...toKey(document),
      request: toRequest(document, document.createdAt),
    }));
  }
}

function toKey({ _id: id, order }: Pick<PermissionDocument, '_id' | 'order'>): PermissionKey {
  return { order: BigInt.asUintN(64, order.toBigInt()), id };
}
