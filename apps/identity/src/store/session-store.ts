import type { Collection, Db, Filter } from 'mongodb';
import { afterPosition, type CollectionIndexes } from '@daycare/mongo';
import type { Rotation, Session } from '../domain/session';
import type { SessionPosition } from '../domain/session-position';

type SessionDocument = Omit<Session, 'id'> & { readonly _id: string };

/** Selects the sessions of an owner and all its subusers, only those of one of these users, or all from one opener. */
export type SessionFilter =
  | { readonly ownerId: string; readonly userId?: string | undefined }
  | { readonly openedBy: string };

const collection = 'sessions';

export const sessionIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { name: 'user', key: { 'holder.userId': 1 }, sparse: true },
    { name: 'owner', key: { 'holder.ownerId': 1, openedAt: -1, _id: -1 } },
    { name: 'opener', key: { 'opener.name': 1, openedAt: -1, _id: -1 } },
    { name: 'unused', key: { 'holder.ownerId': 1, rotatedAt: 1 } },
  ],
};

/** Stores sessions, and finds them by id, owner and opener. */
export class SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(db: Db) {
    this.#sessions = db.collection<SessionDocument>(collection);
  }

  async insert({ id: _id, ...session }: Session): Promise<void> {
    await this.#sessions.insertOne({ _id, ...session });
  }

  /** Sessions stored before openers were recorded can no longer be used, so they are not found. */
  async find(id: string): Promise<Session | undefined> {
    const found = await this.#sessions.findOne({ _id: id, opener: { $exists: true } });
    return found ? toSession(found) : undefined;
  }

  /** Lists sessions that `find` finds, newest first. */
  async list(
    filter: SessionFilter,
    after: SessionPosition | undefined,
    limit: number,
  ): Promise<Session[]> {
    const newestFirst = { openedAt: -1, _id: -1 } as const;
    const next = after && afterPosition(newestFirst, { ...after, _id: after.id });
    const found = await this.#sessions
      .find({ opener: { $exists: true }, ...queryOf(filter), ...next })
      .sort(newestFirst)
      .limit(limit)
      .toArray();
    return found.map(toSession);
  }

  /** Lists an owner's least recently used sessions in excess of the number it may keep, at most 100 of them. */
  async listExcess(ownerId: string, maxKept: number): Promise<Pick<Session, 'id' | 'rotatedAt'>[]> {
    const owned = { 'holder.ownerId': ownerId };
    const count = await this.#sessions.countDocuments(owned, { limit: maxKept + 100 });
    if (count <= maxKept) return [];
    const excess = await this.#sessions
      .find(owned, { projection: { rotatedAt: 1 } })
      .sort({ rotatedAt: 1 })
      .limit(count - maxKept)
      .toArray();
    return excess.map(({ _id: id, rotatedAt }) => ({ id, rotatedAt }));
  }

  /** Replaces the token if the session has not changed since it was read; resolves to false otherwise. */
  async rotate(session: Session, next: Rotation & { readonly expiresAt: Date }): Promise<boolean> {
    const { modifiedCount } = await this.#sessions.updateOne(
      { _id: session.id, currentHash: session.currentHash },
      { $set: next },
    );
    return modifiedCount === 1;
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#sessions.deleteMany({ _id: { $in: [...ids] } });
  }

  /** Removes the given sessions that have not been refreshed since `since`; returns the ids of the remaining ones. */
  async removeUnused(ids: readonly string[], since: Date): Promise<string[]> {
    if (ids.length === 0) return [];
    const chosen = { _id: { $in: [...ids] } };
    const { deletedCount } = await this.#sessions.deleteMany({
      ...chosen,
      rotatedAt: { $lt: since },
    });
    if (deletedCount === ids.length) return [];
    const remaining = await this.#sessions.find(chosen, { projection: { _id: 1 } }).toArray();
    return remaining.map(({ _id }) => _id);
  }

  async removeByUsers(userIds: readonly string[]): Promise<void> {
    await this.#sessions.deleteMany({ 'holder.userId': { $in: [...userIds] } });
  }

  /** Returns how many sessions were removed. */
  async removeByOpener(name: string): Promise<number> {
    return (await this.#sessions.deleteMany({ 'opener.name': name })).deletedCount;
  }
}

function toSession({ _id: id, ...session }: SessionDocument): Session {
  return { id, ...session };
}

function queryOf(filter: SessionFilter): Filter<SessionDocument> {
  if ('openedBy' in filter) return { 'opener.name': filter.openedBy };
  const { ownerId, userId } = filter;
  return { 'holder.ownerId': ownerId, ...(userId !== undefined && { 'holder.userId': userId }) };
}
