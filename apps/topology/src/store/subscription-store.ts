import type { ClientSession, Collection, Db, Document } from 'mongodb';
import {
  afterPosition,
  appendRequest,
  violatedIndex,
  type CollectionIndexes,
  type DigestPart,
} from '@daycare/mongo';
import type { Subscription } from '../domain/signals/signal';

interface SubscriptionDocument extends Omit<Subscription, 'id'> {
  /** Derived from the user, agent and pattern. */
  readonly _id: string;
  /** An ended subscription is kept for a day, to recognise retries. */
  readonly isActive: boolean;
  /** The latest requests that changed it. */
  readonly requests: readonly string[];
  readonly expiresAt?: Date;
}

/** The last subscription on a page of several users' subscriptions; the next page starts after it. */
export interface SubscriptionPosition {
  readonly userId: string;
  readonly createdAt: Date;
  readonly id: string;
}

export interface SubscriptionListing {
  readonly userIds: readonly string[];
  readonly after: SubscriptionPosition | undefined;
  readonly limit: number;
}

const collection = 'subscriptions';
const rememberedMs = 24 * 60 * 60 * 1000;

export const subscriptionIndexes: CollectionIndexes = {
  collection,
  shardKey: { userId: 'hashed' },
  indexes: [
    { name: 'user_active', key: { userId: 1, isActive: 1, createdAt: 1, _id: 1 } },
    { name: 'owner_active', key: { ownerUserId: 1, isActive: 1 } },
    { name: 'user_agent', key: { userId: 1, agentId: 1 } },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** Agents' subscriptions to signals. */
export class SubscriptionStore {
  readonly #subscriptions: Collection<SubscriptionDocument>;

  constructor(db: Db) {
    this.#subscriptions = db.collection(collection);
  }

  /** Subscribes, or changes whether the subscription is silent. A retried request changes nothing. */
  async start(subscription: Subscription, requestId: string): Promise<void> {
    const { silent, createdAt, writtenBy } = subscription;
    const isActive = { $eq: ['$isActive', true] };
    const since = { $cond: [isActive, '$createdAt', createdAt] };
    // An active subscription keeps the author of its pattern.
    const author = { $cond: [isActive, '$writtenBy', writtenBy ?? '$$REMOVE'] };
    const changes = { isActive: true, silent, createdAt: since, writtenBy: author };
    await this.#change(subscription, requestId, changes, ['expiresAt']);
  }

  /** Ends the subscription. The request is remembered even when there was no subscription. */
  async end(subscription: Subscription, requestId: string, now: Date): Promise<void> {
    const { silent, createdAt } = subscription;
    const existingOr = (field: string, value: unknown) => ({ $ifNull: [`$${field}`, value] });
    await this.#change(subscription, requestId, {
      isActive: false,
      silent: existingOr('silent', silent),
      createdAt: existingOr('createdAt', createdAt),
      expiresAt: new Date(now.getTime() + rememberedMs),
    });
  }

  /** Finds ended subscriptions too. */
  async find({
    id,
    userId,
  }: Pick<Subscription, 'id' | 'userId'>): Promise<
    (Subscription & { readonly isActive: boolean }) | undefined
  > {
    const document = await this.#subscriptions.findOne({ _id: id, userId });
    return document ? { ...toSubscription(document), isActive: document.isActive } : undefined;
  }

  /** Lists all of a user's active subscriptions, whose number is limited. */
  async listActive(userId: string, session?: ClientSession): Promise<Subscription[]> {
    const options = session ? { session } : {};
    const documents = await this.#subscriptions.find({ userId, isActive: true }, options).toArray();
    return documents.map(toSubscription);
  }

  /** Stops counting at `limit`. */
  async countByOwner(ownerUserId: string, limit: number): Promise<number> {
    return this.#subscriptions.countDocuments({ ownerUserId, isActive: true }, { limit });
  }

  /** Deletes all of an agent's subscriptions. Returns the owners whose views change as a result. */
  async deleteByAgent(userId: string, agentId: string): Promise<readonly string[]> {
    const owners = await this.#subscriptions.distinct('ownerUserId', { userId, agentId });
    if (owners.length > 0) await this.#subscriptions.deleteMany({ userId, agentId });
    return owners;
  }

  /** Lists several users' active subscriptions by user, oldest first. */
  async listScope({ userIds, after, limit }: SubscriptionListing): Promise<Subscription[]> {
    const order = { userId: 1, createdAt: 1, _id: 1 } as const;
    const next = after && afterPosition(order, { ...after, _id: after.id });
    const documents = await this.#subscriptions
      .find({ ...activeOf(userIds), ...next })
      .sort({ userId: 1, isActive: 1, createdAt: 1, _id: 1 })
      .limit(limit)
      .batchSize(limit)
      .toArray();
    return documents.map(toSubscription);
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#subscriptions.deleteMany({ userId });
  }

  async #change(
    { id, userId, ownerUserId, agentId, pattern }: Subscription,
    requestId: string,
    changes: Document,
    unset: readonly string[] = [],
  ): Promise<void> {
    const identity = { userId, ownerUserId, agentId, pattern: { $literal: pattern } };
    const requests = appendRequest('requests', requestId);
    const steps: Document[] = [{ $set: { ...identity, ...changes, requests } }];
    if (unset.length > 0) steps.push({ $unset: [...unset] });
    try {
      const filter = { _id: id, requests: { $ne: requestId } };
      await this.#subscriptions.updateOne(filter, steps, { upsert: true });
    } catch (error) {
      // Either this is a retry, or a concurrent request has just inserted the document.
      if (violatedIndex(error) !== '_id_') throw error;
      const filter = { _id: id, requests: { $ne: requestId } };
      await this.#subscriptions.updateOne(filter, steps);
    }
  }
}

function activeOf(userIds: readonly string[]) {
  return { userId: { $in: [...userIds] }, isActive: true };
}

/** Selects several users' active subscriptions for a digest, which then changes whenever one of them changes. */
export function subscriptionPart(userIds: readonly string[]): DigestPart {
  return { collection, filter: activeOf(userIds), value: '$$ROOT' };
}

function toSubscription(document: SubscriptionDocument): Subscription {
  const { _id: id, userId, ownerUserId, agentId, pattern, silent, createdAt, writtenBy } = document;
  const author = writtenBy ? { writtenBy } : {};
  return { id, userId, ownerUserId, agentId, pattern, silent, createdAt, ...author };
}
