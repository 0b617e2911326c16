import type { ClientSession, Collection, Db, Document } from 'mongodb';
import { digestOf, violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { Subscription } from '../domain/signal';

interface SubscriptionDocument extends Omit<Subscription, 'id'> {
  /** Made from user, agent and pattern. */
  readonly _id: string;
  /** One that has ended stays for a while, to recognise retries. */
  readonly isActive: boolean;
  /** The last requests that changed it. */
  readonly requests: readonly string[];
  readonly expiresAt?: Date;
}

/** Where a list of several users' goes on. */
export interface SubscriptionPlace {
  readonly userId: string;
  readonly createdAt: Date;
  readonly id: string;
}

export interface SubscriptionListing {
  readonly userIds: readonly string[];
  readonly after: SubscriptionPlace | undefined;
  readonly limit: number;
}

const collection = 'subscriptions';
const rememberedMs = 24 * 60 * 60 * 1000;
const mostRequests = 16;

export const subscriptionIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'user_active', key: { userId: 1, isActive: 1, createdAt: 1, _id: 1 } },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** Which agent wants to hear what. */
export class SubscriptionStore {
  readonly #subscriptions: Collection<SubscriptionDocument>;

  constructor(db: Db) {
    this.#subscriptions = db.collection(collection);
  }

  /** Subscribes, or changes whether it is silent; a request that was carried out before changes nothing. */
  async start(subscription: Subscription, requestId: string): Promise<void> {
    const { silent, createdAt } = subscription;
    const since = { $cond: [{ $eq: ['$isActive', true] }, '$createdAt', createdAt] };
    await this.#change(subscription, requestId, { isActive: true, silent, createdAt: since }, [
      'expiresAt',
    ]);
  }

  /** Ends it; that there was none is remembered as well. */
  async end(subscription: Subscription, requestId: string, now: Date): Promise<void> {
    const { silent, createdAt } = subscription;
    const kept = (field: string, value: unknown) => ({ $ifNull: [`$${field}`, value] });
    await this.#change(subscription, requestId, {
      isActive: false,
      silent: kept('silent', silent),
      createdAt: kept('createdAt', createdAt),
      expiresAt: new Date(now.getTime() + rememberedMs),
    });
  }

  /** Whether it has ended or not. */
  async find({
    id,
    userId,
  }: Pick<Subscription, 'id' | 'userId'>): Promise<
    (Subscription & { readonly isActive: boolean }) | undefined
  > {
    const found = await this.#subscriptions.findOne({ _id: id, userId });
    return found ? { ...toSubscription(found), isActive: found.isActive } : undefined;
  }

  /** All of a user; there are not many. */
  async listOf(userId: string, session?: ClientSession): Promise<Subscription[]> {
    const options = session ? { session } : {};
    const found = await this.#subscriptions.find({ userId, isActive: true }, options).toArray();
    return found.map(toSubscription);
  }

  /** Counted no further than `limit`. */
  async countOf(userId: string, limit: number): Promise<number> {
    return this.#subscriptions.countDocuments({ userId, isActive: true }, { limit });
  }

  /** By user, oldest first. */
  async listScope({ userIds, after, limit }: SubscriptionListing): Promise<Subscription[]> {
    const rest = after && {
      $or: [
        { userId: { $gt: after.userId } },
        { userId: after.userId, createdAt: { $gt: after.createdAt } },
        { userId: after.userId, createdAt: after.createdAt, _id: { $gt: after.id } },
      ],
    };
    const found = await this.#subscriptions
      .find({ userId: { $in: [...userIds] }, isActive: true, ...rest })
      .sort({ userId: 1, isActive: 1, createdAt: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(toSubscription);
  }

  async countScope(userIds: readonly string[]): Promise<number> {
    return this.#subscriptions.countDocuments({ userId: { $in: [...userIds] }, isActive: true });
  }

  /** Differs when something of them does. */
  digestScope(userIds: readonly string[]): Promise<string> {
    return digestOf(
      this.#subscriptions,
      { userId: { $in: [...userIds] }, isActive: true },
      '$$ROOT',
    );
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#subscriptions.deleteMany({ userId });
  }

  async #change(
    { id, userId, agentId, pattern }: Subscription,
    requestId: string,
    changes: Document,
    unset: readonly string[] = [],
  ): Promise<void> {
    const recent = { $concatArrays: [{ $ifNull: ['$requests', []] }, [{ $literal: requestId }]] };
    const names = { userId, agentId, pattern: { $literal: pattern } };
    const requests = { $slice: [recent, -mostRequests] };
    const steps: Document[] = [{ $set: { ...names, ...changes, requests } }];
    if (unset.length > 0) steps.push({ $unset: [...unset] });
    try {
      const filter = { _id: id, requests: { $ne: requestId } };
      await this.#subscriptions.updateOne(filter, steps, { upsert: true });
    } catch (error) {
      // Either this request was carried out before, or somebody made the document just now.
      if (violatedIndex(error) !== '_id_') throw error;
      const filter = { _id: id, requests: { $ne: requestId } };
      await this.#subscriptions.updateOne(filter, steps);
    }
  }
}

function toSubscription(found: SubscriptionDocument): Subscription {
  const { _id: id, userId, agentId, pattern, silent, createdAt } = found;
  return { id, userId, agentId, pattern, silent, createdAt };
}
