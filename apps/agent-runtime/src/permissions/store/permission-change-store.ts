import { Timestamp, type Collection, type Db, type Filter } from 'mongodb';
import {
  permissionCollection,
  toRequest,
  type PermissionDocument,
  type StoredPermission,
} from './permission-document';

/** The time at which a request changed, by the database's clock; later changes have a later mark. */
export type PermissionMark = Timestamp;

export interface PermissionChange {
  readonly request: StoredPermission;
  readonly mark: PermissionMark;
}

const changeBatch = 200;
/** A change can become visible after another one with a later `order`, but at most this much later. */
const overlapSeconds = 10;

/** Reads the permission requests that a user may see, in the order of their last change. */
export class PermissionChangeStore {
  readonly #requests: Collection<PermissionDocument>;

  constructor(db: Db) {
    this.#requests = db.collection(permissionCollection);
  }

  /** Returns the mark of the newest change that the user may see; undefined when there was none. */
  async newest(reader: string): Promise<PermissionMark | undefined> {
    const [newest] = await this.#requests
      .find({ readers: reader }, { projection: { order: 1 } })
      .sort({ order: -1, _id: -1 })
      .limit(1)
      .toArray();
    return newest?.order;
  }

  /**
   * Yields changes since a mark, oldest first, including those shortly before the mark, which may have become visible
   * late; without a mark, all changes.
   */
  async *since(
    reader: string,
    mark: PermissionMark | undefined,
    now: () => Date,
  ): AsyncGenerator<PermissionChange> {
    let after = { order: shortlyBefore(mark), _id: '' };
    for (;;) {
      const found = await this.#requests
        .find({ readers: reader, ...changedAfter(after) }, { hint: 'reader_changes' })
        .sort({ order: 1, _id: 1 })
        .limit(changeBatch)
        .toArray();
      for (const document of found)
        yield { request: toRequest(document, now()), mark: document.order };
      const last = found.at(-1);
      if (!last || found.length < changeBatch) return;
      after = last;
    }
  }
}

function changedAfter(after: { order: Timestamp; _id: string }): Filter<PermissionDocument> {
  const { order, _id } = after;
  return { order: { $gte: order }, $or: [{ order: { $gt: order } }, { _id: { $gt: _id } }] };
}

/** Returns the time from which to read again, so that changes that became visible late are not missed. */
function shortlyBefore(mark: Timestamp | undefined): Timestamp {
  const seconds = mark?.t ?? 0;
  return new Timestamp({ t: Math.max(0, seconds - overlapSeconds), i: 0 });
}
