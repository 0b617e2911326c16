import type { ClientSession, Collection, Db } from 'mongodb';
import { digestOf, violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { Channel } from '../domain/channel';

/** A channel as it is kept. */
export interface StoredChannel {
  readonly channel: Channel;
  /** One higher with every change. */
  readonly version: number;
  /** The last requests that changed it. */
  readonly requests: readonly string[];
}

interface ChannelDocument extends Omit<Channel, 'id'> {
  readonly _id: string;
  readonly version: number;
  readonly requests: readonly string[];
  /** Nobody is left; kept for a while, to recognise retries and to clear up. */
  readonly isGone: boolean;
  readonly goneAt?: Date;
}

/** Where a list of several users' goes on. */
export interface ChannelPlace {
  readonly userId: string;
  readonly name: string;
}

export interface ChannelListing {
  readonly userIds: readonly string[];
  readonly after: ChannelPlace | undefined;
  readonly limit: number;
}

const collection = 'channels';
const rememberedSeconds = 24 * 60 * 60;

export const channelIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'user_name', key: { userId: 1, isGone: 1, name: 1 } },
    {
      name: 'one_of_a_name',
      key: { userId: 1, name: 1 },
      unique: true,
      partialFilterExpression: { isGone: false },
    },
    { name: 'gone', key: { goneAt: 1 }, expireAfterSeconds: rememberedSeconds },
  ],
};

/** Channels with their members, one document each. */
export class ChannelStore {
  readonly #channels: Collection<ChannelDocument>;

  constructor(db: Db) {
    this.#channels = db.collection(collection);
  }

  async find(
    userId: string,
    name: string,
    session?: ClientSession,
  ): Promise<StoredChannel | undefined> {
    const options = session ? { session } : {};
    const found = await this.#channels.findOne({ userId, name, isGone: false }, options);
    return found ? toStored(found) : undefined;
  }

  /** Whether a request was the last that a channel has seen. */
  async wasEndedBy(userId: string, name: string, request: string): Promise<boolean> {
    const filter = { userId, isGone: true, name, requests: request };
    return (await this.#channels.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  /** False when there is one of that name. */
  async insert({ channel, requests }: Omit<StoredChannel, 'version'>): Promise<boolean> {
    try {
      await this.#channels.insertOne(toDocument({ channel, requests, version: 1 }));
      return true;
    } catch (error) {
      if (violatedIndex(error) === undefined) throw error;
      return false;
    }
  }

  /** Stores the channel if it is still as it was read; without members it is gone. */
  async save(stored: StoredChannel, now: Date): Promise<boolean> {
    const { version, channel } = stored;
    const next = toDocument({ ...stored, version: version + 1 });
    const { matchedCount } = await this.#channels.replaceOne(
      { _id: channel.id, version },
      next.isGone ? { ...next, goneAt: now } : next,
    );
    return matchedCount === 1;
  }

  /** Counted no further than `limit`. */
  async countOf(userId: string, limit: number): Promise<number> {
    return this.#channels.countDocuments({ userId, isGone: false }, { limit });
  }

  /** By user and name. */
  async listScope({ userIds, after, limit }: ChannelListing): Promise<Channel[]> {
    const rest = after && {
      $or: [{ userId: { $gt: after.userId } }, { userId: after.userId, name: { $gt: after.name } }],
    };
    const found = await this.#channels
      .find({ userId: { $in: [...userIds] }, isGone: false, ...rest })
      .sort({ userId: 1, isGone: 1, name: 1 })
      .limit(limit)
      .toArray();
    return found.map((document) => toStored(document).channel);
  }

  async countScope(userIds: readonly string[]): Promise<number> {
    return this.#channels.countDocuments({ userId: { $in: [...userIds] }, isGone: false });
  }

  /** Differs when something of them does. */
  digestScope(userIds: readonly string[]): Promise<string> {
    return digestOf(this.#channels, { userId: { $in: [...userIds] }, isGone: false }, '$$ROOT');
  }

  /** The ids of channels that nobody is left in since that time. */
  async listGone(since: Date): Promise<string[]> {
    const projection = { _id: 1 };
    const found = await this.#channels.find({ goneAt: { $gte: since } }, { projection }).toArray();
    return found.map(({ _id }) => _id);
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#channels.deleteMany({ userId });
  }
}

function toDocument({ channel: { id, ...fields }, version, requests }: StoredChannel) {
  return { _id: id, ...fields, version, requests, isGone: fields.members.length === 0 };
}

function toStored(found: ChannelDocument): StoredChannel {
  const { _id: id, version, requests, isGone: _gone, goneAt: _at, ...fields } = found;
  return { channel: { id, ...fields }, version, requests };
}
