import type { Collection, Db, Timestamp } from 'mongodb';
import { againOnDuplicate, type CollectionIndexes } from '@daycare/mongo';
import type { SystemMessageItem } from '../domain/inbox-item';

/** A message for whichever agents talk with the user. */
export interface MailboxMessage extends SystemMessageItem {
  readonly messageId: string;
  readonly userId: string;
  readonly acceptedAt: Date;
}

/** Who hears a message: decided once. */
export interface Recipients {
  /** The one that runs a turn. */
  readonly leadId: string;
  /** The ones that only listen. */
  readonly silentIds: readonly string[];
}

export interface MailboxEntry {
  readonly message: MailboxMessage;
  /** Undefined while nobody is there to hear it. */
  readonly recipients: Recipients | undefined;
  readonly isDelivered: boolean;
}

interface MailboxDocument {
  /** `<user>/<message>`. */
  readonly _id: string;
  readonly userId: string;
  readonly order: Timestamp;
  readonly open: boolean;
  /** Erased when it has been delivered. */
  readonly message?: MailboxMessage;
  readonly recipients?: Recipients;
  readonly expiresAt?: Date;
}

const collection = 'mailboxes';
const rememberedMs = 8 * 24 * 60 * 60 * 1000;
const openOnly = { partialFilterExpression: { open: true } };

export const mailboxIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'open', key: { userId: 1, order: 1, _id: 1 }, ...openOnly },
    { name: 'user', key: { userId: 1 } },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** What users were sent rather than one agent of theirs, in the order of acceptance, until agents have it. */
export class MailboxStore {
  readonly #messages: Collection<MailboxDocument>;

  constructor(db: Db) {
    this.#messages = db.collection(collection);
  }

  /** Accepts a message; one that came before is left as it is. Returns how it stands. */
  async put(message: MailboxMessage): Promise<MailboxEntry> {
    const { userId, messageId } = message;
    const _id = `${userId}/${messageId}`;
    const row = { $literal: { _id, userId, open: true, message } };
    const fresh = { $mergeObjects: [row, { order: '$$CLUSTER_TIME' }] };
    const isNew = { $eq: [{ $type: '$order' }, 'missing'] };
    const keep = { $cond: [isNew, fresh, '$$ROOT'] };
    const found = await againOnDuplicate(() =>
      this.#messages.findOneAndUpdate({ _id }, [{ $replaceWith: keep }], {
        upsert: true,
        returnDocument: 'after',
      }),
    );
    return {
      message,
      recipients: found?.recipients,
      isDelivered: found?.open === false,
    };
  }

  /** What has not been delivered to a user's agents, oldest first. */
  async listOpen(userId: string, limit: number): Promise<MailboxEntry[]> {
    const found = await this.#messages
      .find({ userId, open: true })
      .sort({ order: 1, _id: 1 })
      .limit(limit)
      .toArray();
    return found.flatMap(({ message, recipients }) =>
      message ? [{ message, recipients, isDelivered: false }] : [],
    );
  }

  /** Says who hears a message, unless that has been said; undefined when they have it already. */
  async decide(message: MailboxMessage, recipients: Recipients): Promise<Recipients | undefined> {
    const found = await this.#messages.findOneAndUpdate(
      { _id: `${message.userId}/${message.messageId}`, open: true },
      [{ $set: { recipients: { $ifNull: ['$recipients', { $literal: recipients }] } } }],
      { returnDocument: 'after' },
    );
    return found?.recipients;
  }

  /** The agents have it: its text is erased, that it came is remembered. */
  async close({ userId, messageId }: MailboxMessage, now: Date): Promise<void> {
    const expiresAt = new Date(now.getTime() + rememberedMs);
    await this.#messages.updateOne(
      { _id: `${userId}/${messageId}`, open: true },
      { $set: { open: false, expiresAt }, $unset: { message: 1 } },
    );
  }

  /** Those of these users for whom something waits. */
  async usersWithOpen(userIds: readonly string[]): Promise<string[]> {
    return this.#messages.distinct('userId', { userId: { $in: [...userIds] }, open: true });
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#messages.deleteMany({ userId });
  }
}
