import type { ClientSession, Collection, Db, Filter, MongoClient } from 'mongodb';
import type { TimePosition } from '@daycare/api';
import { afterPosition, digestsOf, groupFinds, inTransaction, pushRequest } from '@daycare/mongo';
import { countCreation, tooManyToday, type SubuserLimits } from '../domain/subuser-limits';
import type { RequestKey } from '../domain/request-key';
import type { User } from '../domain/user';
import { ReservationStore, ReservedError, type NametagRange } from './reservation-store';
import {
  toDocument,
  toLivingUser,
  toUser,
  userCollection,
  type UserDocument,
  userFields,
} from './user-document';

export interface UserUpdate {
  readonly userId: string;
  readonly requestId: string;
  /** The fields to change; absent ones stay as they are. */
  readonly changes: Partial<Pick<User, 'timeZone' | 'name'>>;
}

export interface SubuserRename {
  readonly ownerId: string;
  readonly subuserId: string;
  readonly name: string;
  readonly requestId: string;
}

/** The outcome of an insert. Of several inserts with the same nametag or request, only one succeeds. */
export type InsertOutcome =
  | 'inserted'
  | 'nametag-taken'
  | 'request-known'
  | 'owner-deleted'
  | 'too-many'
  | 'too-many-today';

/** Users that are deleted together. */
export interface Family {
  /** The user and its subusers. */
  readonly userIds: readonly string[];
  /** Whether the user is itself a subuser, and so has no subusers. */
  readonly isSubuser: boolean;
}

type FindUser = (key: string) => Promise<UserDocument | undefined>;

const alive = { deletedAt: { $exists: false } } as const;

/** Stores users, and finds them by id, nametag, owner and creating request. Never returns deleted users. */
export class UserStore {
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #users: Collection<UserDocument>;
  readonly #reservations: ReservationStore;
  readonly #byId: FindUser;

  constructor(
    db: Db,
    readonly subuserLimits: SubuserLimits,
  ) {
    this.#client = db.client;
    this.#db = db;
    this.#users = db.collection<UserDocument>(userCollection);
    this.#byId = groupFinds(this.#users, '_id', { projection: userFields });
    this.#reservations = new ReservationStore(db);
  }

  async insert(user: User, createdBy: string, request: RequestKey): Promise<InsertOutcome> {
    const document = { ...toDocument(user), createdBy, request };
    try {
      return await inTransaction(this.#client, (session) => this.#insert(document, session));
    } catch (error) {
      if (error instanceof ReservedError) return error.outcome;
      throw error;
    }
  }

  async findByRequest(key: RequestKey): Promise<{ user: User; request: RequestKey } | undefined> {
    const userId = await this.#reservations.findByRequest(key);
    const found =
      userId === undefined ? null : await this.#users.findOne({ _id: userId, ...alive });
    return found?.request && { user: toUser(found), request: found.request };
  }

  async findById(id: string): Promise<User | undefined> {
    return toLivingUser(await this.#byId(id));
  }

  async findByNametag(nametag: string): Promise<User | undefined> {
    const userId = await this.#reservations.findByNametag(nametag);
    return userId === undefined ? undefined : this.findById(userId);
  }

  async findSubuser(ownerId: string, subuserId: string): Promise<User | undefined> {
    const user = await this.findById(subuserId);
    return user?.parentUserId === ownerId ? user : undefined;
  }

  async wasCreatedBy(userId: string, creator: string): Promise<boolean> {
    const found = await this.#byId(userId);
    return found?.createdBy === creator && !found.deletedAt;
  }

  async findByIds(ids: readonly string[]): Promise<User[]> {
    const query = { projection: userFields, batchSize: ids.length + 1 };
    const found = await this.#users.find({ _id: { $in: [...ids] } }, query).toArray();
    return found.flatMap((document) => toLivingUser(document) ?? []);
  }

  /**
   * Lists living users in nametag order; if there is a next page, it begins after the nametag `last`.
   */
  async listByNametag(
    range: NametagRange,
  ): Promise<{ readonly users: User[]; readonly last?: string }> {
    // One more than requested shows whether there is a next page.
    const found = await this.#reservations.listNametags({ ...range, limit: range.limit + 1 });
    const page = found.slice(0, range.limit);
    const living = await this.findByIds(page.map(({ userId }) => userId));
    const byId = new Map(living.map((user) => [user.id, user]));
    const users = page.flatMap(({ userId }) => byId.get(userId) ?? []);
    const last = found.length > range.limit ? page.at(-1) : undefined;
    return last ? { users, last: last.nametag } : { users };
  }

  async listSubusers(
    ownerId: string,
    after: TimePosition | undefined,
    limit: number,
  ): Promise<User[]> {
    const oldestFirst = { createdAt: 1, _id: 1 } as const;
    const next = after && afterPosition(oldestFirst, { ...after, _id: after.id });
    const found = await this.#users
      .find({ parentUserId: ownerId, ...alive, ...next })
      .sort(oldestFirst)
      .limit(limit)
      .batchSize(limit)
      .toArray();
    return found.map(toUser);
  }

  /** Returns a digest that changes whenever a subuser is created, renamed or deleted; it is never empty. */
  async digestSubusers(ownerId: string): Promise<string> {
    const value = ['$_id', '$nametag', '$name', '$description'];
    const filter = { parentUserId: ownerId, ...alive };
    const part = { collection: userCollection, filter, value };
    const [subusers] = await digestsOf(this.#db, [part]);
    return subusers.digest;
  }

  /**
   * Renames a subuser unless the request is among the latest ones that renamed it, so that a retry does not undo a
   * later rename. Undefined if nothing changed.
   */
  async renameSubuser(
    { ownerId, subuserId, name, requestId }: SubuserRename,
    session: ClientSession,
  ): Promise<User | undefined> {
    const found = await this.#users.findOneAndUpdate(
      { _id: subuserId, parentUserId: ownerId, renamedBy: { $ne: requestId }, ...alive },
      { $set: { name }, $push: { renamedBy: pushRequest(requestId) } },
      { returnDocument: 'after', session },
    );
    return found ? toUser(found) : undefined;
  }

  /**
   * Changes a user unless the request is among the latest ones that changed it, so that a retry does not undo a later
   * change. Undefined if nothing changed.
   */
  async update({ userId, requestId, changes }: UserUpdate): Promise<User | undefined> {
    const found = await this.#users.findOneAndUpdate(
      { _id: userId, updatedBy: { $ne: requestId }, ...alive },
      { $set: changes, $push: { updatedBy: pushRequest(requestId) } },
      { returnDocument: 'after' },
    );
    return found ? toUser(found) : undefined;
  }

  /** Finds a user and its subusers; undefined when the user does not exist. */
  async findFamily(userId: string, session: ClientSession): Promise<Family | undefined> {
    const family = { $or: [{ _id: userId }, { parentUserId: userId }], ...alive };
    const projection = { parentUserId: 1 };
    const found = await this.#users.find(family, { session, projection }).toArray();
    const head = found.find(({ _id }) => _id === userId);
    const userIds = found.map(({ _id }) => _id);
    return head && { userIds, isSubuser: head.parentUserId !== undefined };
  }

  /**
   * Replaces each user by a tombstone; its nametag stays reserved. Deleted subusers can no longer be found by owner, so
   * they cost nothing when the owner's subusers are counted or listed. If a subuser is deleted without its owner, the
   * request that created it stays reserved, so that a late retry does not create it again; otherwise the requests that
   * created the users are released.
   */
  async markDeleted(
    { userIds: ids, isSubuser }: Family,
    deletion: { readonly at: Date; readonly requestId: string },
    session: ClientSession,
  ): Promise<void> {
    await this.#users.updateMany(
      { _id: { $in: [...ids] }, ...alive },
      [
        {
          $set: {
            deletedAt: deletion.at,
            deletedByRequest: { $literal: deletion.requestId },
            deletedParentId: '$parentUserId',
          },
        },
        {
          $unset: [
            'request',
            'parentUserId',
            'name',
            'description',
            'timeZone',
            'renamedBy',
            'updatedBy',
          ],
        },
      ],
      { session },
    );
    if (!isSubuser) await this.#reservations.releaseRequests(ids, session);
  }

  /** Reports whether an earlier attempt of this request deleted the user. */
  async wasDeletedBy(
    userId: string,
    ownerId: string | undefined,
    requestId: string,
  ): Promise<boolean> {
    const filter: Filter<UserDocument> = { _id: userId, deletedByRequest: requestId };
    const owned = ownerId === undefined ? filter : { ...filter, deletedParentId: ownerId };
    return (await this.#users.findOne(owned)) !== null;
  }

  async #insert(
    document: UserDocument & { readonly request: RequestKey },
    session: ClientSession,
  ): Promise<InsertOutcome> {
    const refusal = document.parentUserId && (await this.#countSubuser(document, session));
    if (refusal) return refusal;
    await this.#reservations.reserve(document, session);
    await this.#users.insertOne(document, { session });
    return 'inserted';
  }

  /**
   * Counts the owner's subusers and updates the owner's document in the same transaction, so that concurrent
   * creations conflict, and all but one are retried and count again. A creation also conflicts with the owner's
   * deletion, so no subuser outlives its owner. Returns why no subuser may be created; undefined if one may.
   */
  async #countSubuser(
    { parentUserId: ownerId = '', createdAt }: UserDocument,
    session: ClientSession,
  ): Promise<'owner-deleted' | 'too-many' | 'too-many-today' | undefined> {
    const owner = await this.#users.findOne({ _id: ownerId, ...alive }, { session });
    if (!owner) return 'owner-deleted';
    const limit = this.subuserLimits.living;
    const owned = { parentUserId: ownerId, ...alive };
    const count = await this.#users.countDocuments(owned, { limit, session });
    if (count >= limit) return 'too-many';
    const subusersMade = countCreation(owner.subusersMade, createdAt);
    if (tooManyToday(subusersMade, this.subuserLimits)) return 'too-many-today';
    await this.#users.updateOne({ _id: ownerId }, { $set: { subusersMade } }, { session });
    return undefined;
  }
}
