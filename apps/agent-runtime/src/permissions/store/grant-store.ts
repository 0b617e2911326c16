import type { Collection, Db, Filter } from 'mongodb';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import type { Agent } from '../../agents';
import { subjectKey, type Grant, type GrantSubject } from '../domain/grant';
import { readersOf } from '../domain/permission';

interface GrantDocument extends Omit<Grant, 'id'> {
  readonly _id: string;
  /** The users who may see the grant. */
  readonly readers: readonly string[];
  readonly subjectKey: string;
  /**
   * Present once the grant has been revoked; the document is kept so that a retried decision does not bring the grant
   * back.
   */
  readonly revokedAt?: Date;
  /** When the document is deleted. */
  readonly forgetAt?: Date;
}

export interface FoundGrant extends Grant {
  readonly isRevoked: boolean;
}

export interface GrantListing {
  /** The user who lists grants: those to the user's own agents and to the agents of the user's subusers. */
  readonly reader: string;
  /** Empty for all agents. */
  readonly agentId: string;
  /** The last grant of the previous page. */
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

const collection = 'grants';
/** How long an ended grant is remembered: longer than the permission request that led to it. */
const rememberedMs = 100 * 24 * 60 * 60 * 1000;

export const grantIndexes: CollectionIndexes = {
  collection,
  shardKey: { userId: 'hashed' },
  indexes: [
    { name: 'reader_newest', key: { readers: 1, createdAt: -1, _id: -1 } },
    { name: 'user_subject', key: { userId: 1, subjectKey: 1, agentId: 1 } },
    { name: 'agent_subject', key: { agentId: 1, subjectKey: 1 } },
    { name: 'expiry', key: { forgetAt: 1 }, expireAfterSeconds: 0, sparse: true },
  ],
};

/** Stores the standing grants that people have given to agents. */
export class GrantStore {
  readonly #grants: Collection<GrantDocument>;

  constructor(db: Db) {
    this.#grants = db.collection(collection);
  }

  /** Stores a grant; leaves an existing one unchanged, even if it has been revoked. */
  async add({ id, ...fields }: Grant): Promise<void> {
    const { expiresAt } = fields;
    const document: Omit<GrantDocument, '_id'> = {
      ...fields,
      readers: readersOf(fields),
      subjectKey: subjectKey(fields.subject),
      ...(expiresAt ? { forgetAt: forgetTime(expiresAt) } : {}),
    };
    await retryOnDuplicateKey(() =>
      this.#grants.updateOne({ _id: id }, { $setOnInsert: document }, { upsert: true }),
    );
  }

  /** Finds a grant that the user may see, even one that was revoked or has ended. */
  async find(reader: string, id: string): Promise<FoundGrant | undefined> {
    const found = await this.#grants.findOne({ _id: id, readers: reader });
    return found ? { ...toGrant(found), isRevoked: found.revokedAt !== undefined } : undefined;
  }

  /** Lists standing grants, newest first. */
  async list({ reader, agentId, after, limit }: GrantListing, now: Date): Promise<Grant[]> {
    const ofAgent = agentId === '' ? {} : { agentId };
    const found = await this.#grants
      .find(
        { $and: [{ readers: reader }, ofAgent, standing(now), after ? olderThan(after) : {}] },
        { hint: 'reader_newest' },
      )
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toGrant);
  }

  /** Lists an agent's standing grants for a subject. */
  async listForSubject(
    { id: agentId, userId }: Pick<Agent, 'id' | 'userId'>,
    subject: GrantSubject,
    now: Date,
  ): Promise<Grant[]> {
    const found = await this.#grants
      .find(
        { userId, subjectKey: subjectKey(subject), agentId, ...standing(now) },
        { hint: 'user_subject' },
      )
      .toArray();
    return found.map(toGrant);
  }

  /** Returns each agent's permissions, sorted; agents without permissions are omitted. */
  async permissionsOf(
    agentIds: readonly string[],
    now: Date,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = await this.#grants
      .find(
        {
          agentId: { $in: [...agentIds] },
          subjectKey: { $gte: 'permission:', $lt: 'permission;' },
          ...standing(now),
        },
        { hint: 'agent_subject' },
      )
      .toArray();
    const permissions = new Map<string, string[]>();
    for (const each of found)
      permissions.set(each.agentId, [
        ...(permissions.get(each.agentId) ?? []),
        ...permissionOf(each),
      ]);
    return new Map([...permissions].map(([id, all]) => [id, [...new Set(all)].sort()]));
  }

  /**
   * Revokes a grant and all of the agent's other grants for the same subject. The grant itself is revoked last, so that
   * a retry can complete an interrupted revocation.
   */
  async revoke(
    { id, userId, agentId, subject }: Pick<Grant, 'id' | 'userId' | 'agentId' | 'subject'>,
    now: Date,
  ): Promise<void> {
    const revocation = { $set: { revokedAt: now, forgetAt: forgetTime(now) } };
    const unrevoked = { userId, agentId, revokedAt: { $exists: false } };
    await this.#grants.updateMany(
      { ...unrevoked, subjectKey: subjectKey(subject), _id: { $ne: id } },
      revocation,
      { hint: 'user_subject' },
    );
    await this.#grants.updateOne({ ...unrevoked, _id: id }, revocation);
  }

  /** Also deletes the grants to the user's subusers' agents. */
  async deleteByUser(userId: string): Promise<void> {
    await this.#grants.deleteMany({ readers: userId });
  }
}

function standing(now: Date): Filter<GrantDocument> {
  return {
    revokedAt: { $exists: false },
    $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }],
  };
}

function olderThan({ createdAt, id }: { createdAt: Date; id: string }): Filter<GrantDocument> {
  const isOlder = [{ createdAt: { $lt: createdAt } }, { _id: { $lt: id } }];
  return { createdAt: { $lte: createdAt }, $or: isOlder };
}

function forgetTime(endedAt: Date): Date {
  return new Date(endedAt.getTime() + rememberedMs);
}

function permissionOf({ subject }: Pick<GrantDocument, 'subject'>): string[] {
  return subject.kind === 'permission' ? [subject.permission] : [];
}

function toGrant({
  _id: id,
  readers: _readers,
  subjectKey: _key,
  revokedAt: _revokedAt,
  forgetAt: _forgetAt,
  ...fields
}: GrantDocument): Grant {
  return { id, ...fields };
}
