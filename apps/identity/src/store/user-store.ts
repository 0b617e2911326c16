import type { Collection, Db } from 'mongodb';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { RequestKey } from '../domain/request-key';
import type { User } from '../domain/user';

interface UserDocument {
  readonly _id: string;
  readonly nametag: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly request: RequestKey;
}

const collection = 'users';
const nametagIndex = 'nametag';
const requestIndex = 'request';

export const userIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: nametagIndex, key: { nametag: 1 }, unique: true },
    { name: requestIndex, key: { 'request.id': 1 }, unique: true },
  ],
};

/** What became of an insert; the unique indexes decide. */
export type InsertOutcome = 'inserted' | 'nametag-taken' | 'request-known';

/** Users by id, nametag and creating request. */
export class UserStore {
  readonly #users: Collection<UserDocument>;

  constructor(db: Db) {
    this.#users = db.collection<UserDocument>(collection);
  }

  async insert(user: User, request: RequestKey): Promise<InsertOutcome> {
    const { id: _id, nametag, name, createdAt } = user;
    try {
      await this.#users.insertOne({ _id, nametag, name, createdAt, request });
      return 'inserted';
    } catch (error) {
      const index = violatedIndex(error);
      if (index === nametagIndex) return 'nametag-taken';
      if (index === requestIndex) return 'request-known';
      throw error;
    }
  }

  async findByRequest(requestId: string): Promise<{ user: User; request: RequestKey } | undefined> {
    const found = await this.#users.findOne({ 'request.id': requestId });
    return found ? { user: toUser(found), request: found.request } : undefined;
  }

  async findById(id: string): Promise<User | undefined> {
    const found = await this.#users.findOne({ _id: id });
    return found ? toUser(found) : undefined;
  }

  async findByIds(ids: readonly string[]): Promise<User[]> {
    const found = await this.#users.find({ _id: { $in: [...ids] } }).toArray();
    return found.map(toUser);
  }

  async findByNametag(nametag: string): Promise<User | undefined> {
    const found = await this.#users.findOne({ nametag });
    return found ? toUser(found) : undefined;
  }
}

function toUser({ _id: id, nametag, name, createdAt }: UserDocument): User {
  return { id, nametag, name, createdAt };
}
