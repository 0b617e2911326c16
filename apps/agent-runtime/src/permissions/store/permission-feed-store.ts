import { Timestamp, type Collection, type Db } from 'mongodb';
import { readSince, type ReadTimes } from '@daycare/mongo';
import type { FeedRange } from '../../agents';
import { toRequest, type PermissionDocument, type StoredPermission } from './permission-document';

/** Identifies a change of a request: its place in the feed of a connector, and the request. */
export interface PermissionKey {
  readonly order: bigint;
  readonly id: string;
}

export interface FeedPermission extends PermissionKey {
  readonly request: StoredPermission;
}

const byOrder = { order: 1, _id: 1 } as const;
const hint = 'feed_changes';

/** The permission requests that are shown in the channels of a connector, in the order of their last change. */
export class PermissionFeedStore {
  readonly #db: Db;
  readonly #requests: Collection<PermissionDocument>;

  constructor(db: Db) {
    this.#db = db;
    this.#requests = db.collection('permissions');
  }

  /**
   * The changes whose order is later than `after`; read from the index alone. The result contains at least
   * every such change that was written by the time `since`.
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

  /** The latest changes, newest first; read from the index alone. */
  async newestChanges(feed: string, limit: number): Promise<readonly PermissionKey[]> {
    const found = await this.#requests
      .find({ feed }, { projection: { order: 1 }, hint })
      .sort({ order: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toKey);
  }

  /**
   * These requests as they are stored, each with its newest change. An overdue request counts as pending
   * until its expiry is stored, because that is a separate change.
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
