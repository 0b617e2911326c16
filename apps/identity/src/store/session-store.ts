import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { Rotation, Session, SessionHolder } from '../domain/session';

interface SessionDocument {
  readonly _id: string;
  readonly holder: SessionHolder;
  readonly currentHash: string;
  readonly recentHashes?: readonly string[];
  /** What earlier versions wrote in place of `recentHashes`. */
  readonly previousHash?: string;
  readonly proofKey?: string;
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

  async insert({ id: _id, proofKey, ...rest }: Session): Promise<void> {
    await this.#sessions.insertOne({ _id, ...rest, ...(proofKey !== undefined && { proofKey }) });
  }

  async find(id: string): Promise<Session | undefined> {
    const found = await this.#sessions.findOne({ _id: id });
    if (!found) return undefined;
    const { _id, previousHash, proofKey, ...rest } = found;
    const recentHashes = previousHash === undefined ? [] : [previousHash];
    return { id: _id, recentHashes, proofKey, ...rest };
  }

  /** Replaces the token if the session is still as it was read; false otherwise. */
  async rotate(
    session: Session,
    next: Rotation & { readonly proofKey: string; readonly expiresAt: Date },
  ): Promise<boolean> {
    const { modifiedCount } = await this.#sessions.updateOne(
      { _id: session.id, currentHash: session.currentHash },
      { $set: next, $unset: { previousHash: '' } },
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
