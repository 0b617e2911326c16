import type { ClientSession, Collection, Db } from 'mongodb';
import { violatedIndex, type CollectionIndexes } from '@daycare/mongo';
import type { ChannelMessage } from '../domain/channels/channel';

/** A message with its position in the channel. */
export interface NumberedMessage extends ChannelMessage {
  readonly sequence: number;
}

interface MessageDocument extends Omit<NumberedMessage, 'id'> {
  readonly _id: string;
}

export interface MessageListing {
  readonly userId: string;
  readonly channelId: string;
  /** Only messages before this sequence number. */
  readonly before: number | undefined;
  readonly limit: number;
}

const collection = 'channel_messages';
const retentionSeconds = 90 * 24 * 60 * 60;

export const channelMessageIndexes: CollectionIndexes = {
  collection,
  shardKey: { channelId: 'hashed' },
  indexes: [
    { name: 'channel_sequence', key: { channelId: 1, sequence: 1 }, unique: true },
    { name: 'user', key: { userId: 1 } },
    { name: 'expiry', key: { sentAt: 1 }, expireAfterSeconds: retentionSeconds },
  ],
};

/** Channel messages, numbered per channel. */
export class ChannelMessageStore {
  readonly #messages: Collection<MessageDocument>;

  constructor(db: Db) {
    this.#messages = db.collection(collection);
  }

  async find(userId: string, id: string): Promise<ChannelMessage | undefined> {
    const document = await this.#messages.findOne({ _id: id, userId });
    return document ? toMessage(document) : undefined;
  }

  /**
   * Appends a message to its channel. `known`: it was already stored. `taken`: a concurrent message took its
   * sequence number. After any result but `stored`, the transaction has been aborted.
   */
  async append(
    { id: _id, ...message }: ChannelMessage,
    session: ClientSession,
  ): Promise<'stored' | 'known' | 'taken'> {
    const { userId, channelId } = message;
    const last = await this.#messages.findOne(
      { userId, channelId },
      { sort: { sequence: -1 }, projection: { sequence: 1 }, session },
    );
    try {
      const sequence = (last?.sequence ?? 0) + 1;
      await this.#messages.insertOne({ _id, ...message, sequence }, { session });
      return 'stored';
    } catch (error) {
      const index = violatedIndex(error);
      if (index === undefined) throw error;
      return index === '_id_' ? 'known' : 'taken';
    }
  }

  /** Newest first. */
  async list({ userId, channelId, before, limit }: MessageListing): Promise<NumberedMessage[]> {
    const earlier = before === undefined ? {} : { sequence: { $lt: before } };
    const documents = await this.#messages
      .find({ userId, channelId, ...earlier })
      .sort({ sequence: -1 })
      .limit(limit)
      .hint('channel_sequence')
      .toArray();
    return documents.map(({ sequence, ...rest }) => ({
      ...toMessage({ sequence, ...rest }),
      sequence,
    }));
  }

  async deleteByChannels(channelIds: readonly string[]): Promise<void> {
    await this.#messages.deleteMany({ channelId: { $in: [...channelIds] } });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#messages.deleteMany({ userId });
  }
}

function toMessage({ _id: id, sequence: _, ...fields }: MessageDocument): ChannelMessage {
  return { id, ...fields };
}
