import type { ClientSession, Collection, Db } from 'mongodb';
import { afterPosition, tryWrite, type CollectionIndexes, type DigestPart } from '@daycare/mongo';
import type { Channel } from '../domain/channels/channel';

/** A channel as it is stored. */
export interface StoredChannel {
  readonly channel: Channel;
  /** Incremented by every change. */
  readonly version: number;
  /** The latest requests that changed it. */
  readonly requests: readonly string[];
}

interface ChannelDocument extends Omit<Channel, 'id'> {
  readonly _id: string;
  readonly version: number;
  readonly requests: readonly string[];
  /**
   * Whether the last member has left. A deleted channel is kept for a day, to recognise retries and to delete
   * its messages.
   */
  readonly isDeleted: boolean;
  readonly deletedAt?: Date;
}

/** The last channel on a page of several users' channels; the next page starts after it. */
export interface ChannelPosition {
  readonly userId: string;
  readonly name: string;
}

export interface ChannelListing {
  readonly userIds: readonly string[];
  readonly after: ChannelPosition | undefined;
  readonly limit: number;
}

const collection = 'channels';
const rememberedSeconds = 24 * 60 * 60;

export const channelIndexes: CollectionIndexes = {
  collection,
  shardKey: { userId: 'hashed' },
  indexes: [
    { name: 'user_name', key: { userId: 1, isDeleted: 1, name: 1 } },
    {
      name: 'one_of_a_name',
      key: { userId: 1, name: 1 },
      unique: true,
      partialFilterExpression: { isDeleted: false },
    },
    { name: 'owner', key: { ownerUserId: 1, isDeleted: 1 } },
    { name: 'user_member', key: { userId: 1, 'members.agentId': 1 } },
    { name: 'deleted', key: { deletedAt: 1 }, expireAfterSeconds: rememberedSeconds },
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
    const document = await this.#channels.findOne({ userId, name, isDeleted: false }, options);
    return document ? toStored(document) : undefined;
  }

  /** Reports whether this request deleted a channel with that name. */
  async wasDeletedByRequest(userId: string, name: string, request: string): Promise<boolean> {
    const filter = { userId, isDeleted: true, name, requests: request };
    return (await this.#channels.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  /** Returns false when the name is taken. */
  async insert({ channel, requests }: Omit<StoredChannel, 'version'>): Promise<boolean> {
    const document = toDocument({ channel, requests, version: 1 });
    return (await tryWrite(() => this.#channels.insertOne(document))) !== undefined;
  }

  /**
   * Saves a changed channel; one without members is marked as deleted. Returns false if another call has changed the
   * channel since it was read.
   */
  async save(stored: StoredChannel, now: Date): Promise<boolean> {
    const { version, channel } = stored;
    const next = toDocument({ ...stored, version: version + 1 });
    const { matchedCount } = await this.#channels.replaceOne(
      { _id: channel.id, version },
      next.isDeleted ? { ...next, deletedAt: now } : next,
    );
    return matchedCount === 1;
  }

  /** Stops counting at `limit`. */
  async countByOwner(ownerUserId: string, limit: number): Promise<number> {
    return this.#channels.countDocuments({ ownerUserId, isDeleted: false }, { limit });
  }

  /** Lists the channels that an agent is a member of. Deleted channels have no members, so none of them is listed. */
  async listByMember(userId: string, agentId: string): Promise<Channel[]> {
    const documents = await this.#channels.find({ userId, 'members.agentId': agentId }).toArray();
    return documents.map((document) => toStored(document).channel);
  }

  /** Lists several users' channels by user and name. */
  async listScope({ userIds, after, limit }: ChannelListing): Promise<Channel[]> {
    const next = after && afterPosition({ userId: 1, name: 1 }, after);
    const documents = await this.#channels
      .find({ ...undeletedOf(userIds), ...next })
      .sort({ userId: 1, isDeleted: 1, name: 1 })
      .limit(limit)
      .batchSize(limit)
      .toArray();
    return documents.map((document) => toStored(document).channel);
  }

  /** Lists the ids of channels deleted since the given time. */
  async listDeleted(since: Date): Promise<string[]> {
    const projection = { _id: 1 };
    const documents = await this.#channels
      .find({ deletedAt: { $gte: since } }, { projection })
      .toArray();
    return documents.map(({ _id }) => _id);
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#channels.deleteMany({ userId });
  }
}

function undeletedOf(userIds: readonly string[]) {
  return { userId: { $in: [...userIds] }, isDeleted: false };
}

/** Selects several users' channels for a digest, which then changes whenever one of the channels changes. */
export function channelPart(userIds: readonly string[]): DigestPart {
  return { collection, filter: undeletedOf(userIds), value: '$$ROOT' };
}

function toDocument({ channel: { id, ...fields }, version, requests }: StoredChannel) {
  return { _id: id, ...fields, version, requests, isDeleted: fields.members.length === 0 };
}

function toStored(document: ChannelDocument): StoredChannel {
  const {
    _id: id,
    version,
    requests,
    isDeleted: _isDeleted,
    deletedAt: _deletedAt,
    ...fields
  } = document;
  return { channel: { id, ...fields }, version, requests };
}
