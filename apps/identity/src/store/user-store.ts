import type { ClientSession, Collection, Db, Filter, MongoClient } from 'mongodb';
import { type CollectionIndexes, inTransaction, violatedIndex } from '@daycare/mongo';
import type { PageCursor } from '../domain/page-token';
import type { RequestKey } from '../domain/request-key';
import type { User } from '../domain/user';

export interface SubuserRename {
  readonly ownerId: string;
  readonly subuserId: string;
  readonly name: string;
  readonly requestId: string;
}

export interface UserDocument {
  readonly _id: string;
  readonly nametag: string;
  readonly name: string;
  readonly parentUserId?: string;
  readonly description?: string;
  readonly createdAt: Date;
  /** The credential that created it. */
  readonly createdBy: string;
  /** Goes with the deletion, so that a connector's person can come back as somebody new. */
  readonly request?: RequestKey;
  readonly subusersMade?: number;
  /** The latest requests that renamed it. */
  readonly renamedBy?: string[];
  readonly deletedAt?: Date;
  readonly deletedByRequest?: string;
}

const collection = 'users';
const nametagIndex = 'nametag';
const requestIndex = 'request';

export const userIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: nametagIndex, key: { nametag: 1 }, unique: true },
    {
      name: requestIndex,
      key: { 'request.scope': 1, 'request.id': 1 },
      unique: true,
      partialFilterExpression: { 'request.id': { $exists: true } },
    },
    {
      name: 'subusers',
      key: { parentUserId: 1, createdAt: 1, _id: 1 },
      partialFilterExpression: { parentUserId: { $exists: true } },
    },
  ],
};

/** What became of an insert; the unique indexes decide. */
export type InsertOutcome =
  'inserted' | 'nametag-taken' | 'request-known' | 'owner-gone' | 'too-many';

/** Few enough that a user and all its subusers can be deleted in one transaction. */
export const mostSubusers = 1_000;

const alive = { deletedAt: { $exists: false } } as const;

/** Users by id, nametag, owner and creating request. Deleted ones are found by nobody. */
export class UserStore {
  readonly #client: MongoClient;
  readonly #users: Collection<UserDocument>;

  constructor(db: Db) {
    this.#client = db.client;
    this.#users = db.collection<UserDocument>(collection);
  }

  async insert(user: User, createdBy: string, request: RequestKey): Promise<InsertOutcome> {
    const document = { ...toDocument(user), createdBy, request };
    try {
      if (user.parentUserId !== undefined) return await this.#insertSubuser(document);
      await this.#users.insertOne(document);
      return 'inserted';
    } catch (error) {
      const index = violatedIndex(error);
      if (index === nametagIndex) return 'nametag-taken';
      if (index === requestIndex) return 'request-known';
      throw error;
    }
  }

  async findByRequest({
    scope,
    id,
  }: RequestKey): Promise<{ user: User; request: RequestKey } | undefined> {
    const found = await this.#users.findOne({ 'request.scope': scope, 'request.id': id, ...alive });
    return found?.request && { user: toUser(found), request: found.request };
  }

  findById(id: string): Promise<User | undefined> {
    return this.#findOne({ _id: id });
  }

  findByNametag(nametag: string): Promise<User | undefined> {
    return this.#findOne({ nametag });
  }

  findSubuser(ownerId: string, subuserId: string): Promise<User | undefined> {
    return this.#findOne({ _id: subuserId, parentUserId: ownerId });
  }

  async wasCreatedBy(userId: string, creator: string): Promise<boolean> {
    return (await this.#users.findOne({ _id: userId, createdBy: creator, ...alive })) !== null;
  }

  async findByIds(ids: readonly string[]): Promise<User[]> {
    const found = await this.#users.find({ _id: { $in: [...ids] }, ...alive }).toArray();
    return found.map(toUser);
  }

  async listSubusers(
    ownerId: string,
    after: PageCursor | undefined,
    limit: number,
  ): Promise<User[]> {
    const found = await this.#users
      .find({ parentUserId: ownerId, ...alive, ...(after && afterCursor(after)) })
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(toUser);
  }

  /** Once per request: a late retry does not undo a later name. Undefined when nothing was done. */
  async renameSubuser(
    { ownerId, subuserId, name, requestId }: SubuserRename,
    session: ClientSession,
  ): Promise<User | undefined> {
    const found = await this.#users.findOneAndUpdate(
      { _id: subuserId, parentUserId: ownerId, renamedBy: { $ne: requestId }, ...alive },
      { $set: { name }, $push: { renamedBy: { $each: [requestId], $slice: -16 } } },
      { returnDocument: 'after', session },
    );
    return found ? toUser(found) : undefined;
  }

  /** A user and its subusers, by id; empty when it is gone. */
  async listWithSubusers(userId: string, session: ClientSession): Promise<string[]> {
    const family = { $or: [{ _id: userId }, { parentUserId: userId }], ...alive };
    const found = await this.#users.find(family, { session, projection: { _id: 1 } }).toArray();
    const ids = found.map(({ _id }) => _id);
    return ids.includes(userId) ? ids : [];
  }

  /** Marks users as gone. Their nametags stay taken for ever. */
  async markDeleted(
    ids: readonly string[],
    deletion: { readonly at: Date; readonly requestId: string },
    session: ClientSession,
  ): Promise<void> {
    await this.#users.updateMany(
      { _id: { $in: [...ids] }, ...alive },
      {
        $set: { deletedAt: deletion.at, deletedByRequest: deletion.requestId },
        $unset: { request: '' },
      },
      { session },
    );
  }

  /** Whether this very request deleted the user before: then it is a retry. */
  async wasDeletedBy(
    userId: string,
    ownerId: string | undefined,
    requestId: string,
  ): Promise<boolean> {
    const filter: Filter<UserDocument> = { _id: userId, deletedByRequest: requestId };
    const owned = ownerId === undefined ? filter : { ...filter, parentUserId: ownerId };
    return (await this.#users.findOne(owned)) !== null;
  }

  /**
   * The owner's document is written along: of a deletion of the owner and the creation of a subuser
   * at the same moment, one waits for the other, and no subuser outlives its owner.
   */
  #insertSubuser(document: UserDocument): Promise<InsertOutcome> {
    return inTransaction(this.#client, async (session) => {
      const owner = { _id: document.parentUserId ?? '', ...alive };
      const touched = await this.#users.updateOne(
        owner,
        { $inc: { subusersMade: 1 } },
        { session },
      );
      if (touched.matchedCount === 0) return 'owner-gone';
      const owned = { parentUserId: document.parentUserId ?? '', ...alive };
      const limit = mostSubusers;
      const count = await this.#users.countDocuments(owned, { limit, session });
      if (count >= limit) return 'too-many';
      await this.#users.insertOne(document, { session });
      return 'inserted';
    });
  }

  async #findOne(filter: Filter<UserDocument>): Promise<User | undefined> {
    const found = await this.#users.findOne({ ...filter, ...alive });
    return found ? toUser(found) : undefined;
  }
}

function afterCursor({ createdAt, id }: PageCursor): Filter<UserDocument> {
  return { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: id } }] };
}

function toDocument({ id: _id, nametag, name, parentUserId, description, createdAt }: User) {
  const subuser = parentUserId === undefined ? {} : { parentUserId, description };
  return { _id, nametag, name, ...subuser, createdAt };
}

function toUser({
  _id: id,
  nametag,
  name,
  parentUserId,
  description,
  createdAt,
}: UserDocument): User {
  return { id, nametag, name, parentUserId, description: description ?? '', createdAt };
}
