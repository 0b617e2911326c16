import type { ClientSession, Collection, Db } from 'mongodb';
import { groupFinds, violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { RequestKey } from '../domain/request-key';

type RequestName = Pick<RequestKey, 'scope' | 'id'>;

/** A value that belongs to one user; nametags are never released, requests only by a deletion. */
interface Reservation<Value> {
  readonly _id: Value;
  readonly userId: string;
}

export const nametagCollection = 'nametags';
export const requestCollection = 'user_requests';

export const reservationIndexes: readonly CollectionIndexes[] = [
  { collection: nametagCollection, shardKey: { _id: 'hashed' }, indexes: [] },
  {
    collection: requestCollection,
    shardKey: { _id: 'hashed' },
    indexes: [{ name: 'user', key: { userId: 1 } }],
  },
];

/** Selects the nametags that begin with `prefix` and sort after `after`. */
export interface NametagRange {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly limit: number;
}

export interface NametagHolder {
  readonly nametag: string;
  readonly userId: string;
}

/** Thrown when the value is already reserved; aborts the transaction that tried to reserve it. */
export class ReservedError extends Error {
  override readonly name = 'ReservedError';

  constructor(readonly outcome: 'nametag-taken' | 'request-known') {
    super(outcome);
  }
}

/**
 * Stores users' nametags, and the requests that created the users. Each is a document whose id is the value, so that it
 * is unique however many shards the users are spread over. Call `reserve` in the transaction that inserts the user.
 */
export class ReservationStore {
  readonly #nametags: Collection<Reservation<string>>;
  readonly #requests: Collection<Reservation<RequestName>>;
  readonly #byNametag: (nametag: string) => Promise<Reservation<string> | undefined>;

  constructor(db: Db) {
    this.#nametags = db.collection(nametagCollection);
    this.#requests = db.collection(requestCollection);
    this.#byNametag = groupFinds(this.#nametags, '_id');
  }

  /** Throws a `ReservedError` when the request or the nametag is already reserved. */
  async reserve(
    user: { readonly _id: string; readonly nametag: string; readonly request: RequestName },
    session: ClientSession,
  ): Promise<void> {
    const { _id: userId, nametag, request } = user;
    await this.#requests
      .insertOne({ _id: nameOf(request), userId }, { session })
      .catch(refuse('request-known'));
    await this.#nametags
      .insertOne({ _id: nametag, userId }, { session })
      .catch(refuse('nametag-taken'));
  }

  /** Returns the id of the user who has, or had, a nametag. */
  async findByNametag(nametag: string): Promise<string | undefined> {
    return (await this.#byNametag(nametag))?.userId;
  }

  /** Lists nametags in order, each with the user who has or had it. */
  async listNametags({ prefix, after, limit }: NametagRange): Promise<NametagHolder[]> {
    // Every character that a nametag can have sorts before this one.
    const end = `${prefix}\u{10ffff}`;
    const from = after === undefined || after < prefix ? { $gte: prefix } : { $gt: after };
    const found = await this.#nametags
      .find({ _id: { ...from, $lt: end } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id: nametag, userId }) => ({ nametag, userId }));
  }

  async findByRequest(request: RequestName): Promise<string | undefined> {
    return (await this.#requests.findOne({ _id: nameOf(request) }))?.userId;
  }

  /** Releases the requests that created these users, so that they can create new users; nametags stay reserved. */
  async releaseRequests(userIds: readonly string[], session: ClientSession): Promise<void> {
    await this.#requests.deleteMany({ userId: { $in: [...userIds] } }, { session });
  }
}

/** To MongoDB, ids with the same fields in a different order are different, so the order is fixed here. */
function nameOf({ scope, id }: RequestName): RequestName {
  return { scope, id };
}

function refuse(outcome: ReservedError['outcome']) {
  return (error: unknown): never => {
    throw violatedIndex(error) === undefined ? error : new ReservedError(outcome);
  };
}
