import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { Session, SessionHolder } from '../domain/session';

interface SessionDocument {
  readonly _id: string;
  readonly holder: SessionHolder;
  readonly currentHash: string;
  readonly previousHash?: string;
  readonly rotatedAt: Date;
  readonly expiresAt: Date;
}

const collection = 'sessions';

export const sessionIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { name: 'user', key: { 'holder.userId': 1 }, sparse: true },
  ],
};

/** Sessions by id. */
export class SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(db: Db) {
    this.#sessions = db.collection<SessionDocument>(collection);
  }

  async insert({ id: _id, holder, currentHash, rotatedAt, expiresAt }: Session): Promise<void> {
    await this.#sessions.insertOne({ _id, holder, currentHash, rotatedAt, expiresAt });
  }

  async find(id: string): Promise<Session | undefined> {
    const found = await this.#sessions.findOne({ _id: id });
    if (!found) return undefined;
    const { _id, previousHash, ...rest } = found;
    return { id: _id, previousHash, ...rest };
  }

  /** Replaces the token if the session is still as it was read; false otherwise. */
  async rotate(
    session: Session,
    nextHash: string,
    rotatedAt: Date,
    expiresAt: Date,
  ): Promise<boolean> {
    const { modifiedCount } = await this.#sessions.updateOne(
      { _id: session.id, currentHash: session.currentHash },
      { $set: { currentHash: nextHash, previousHash: session.currentHash, rotatedAt, expiresAt } },
    );
    return modifiedCount === 1;
  }

  async remove(id: string): Promise<void> {
    await this.#sessions.deleteOne({ _id: id });
  }

  async removeByUsers(userIds: readonly string[]): Promise<void> {
    await this.#sessions.deleteMany({ 'holder.userId': { $in: [...userIds] } });
  }
}
