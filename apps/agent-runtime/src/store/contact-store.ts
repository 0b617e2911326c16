import type { Collection, Db } from 'mongodb';
import { againOnDuplicate, type CollectionIndexes } from '@daycare/mongo';
import type { AgentAddress } from '../domain/inbox-item';

interface ContactDocument {
  /** `<gateway>/<agent>`. */
  readonly _id: string;
  /** The subuser whose gateway was written to. */
  readonly userId: string;
  readonly writerUserId: string;
  readonly at: Date;
}

const collection = 'contacts';

export const contactIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: 'user', key: { userId: 1 } },
    { name: 'writer', key: { writerUserId: 1 } },
  ],
};

/** Who of another user has written to a gateway, and may therefore be answered. */
export class ContactStore {
  readonly #contacts: Collection<ContactDocument>;

  constructor(db: Db) {
    this.#contacts = db.collection(collection);
  }

  async add(gateway: AgentAddress, writer: AgentAddress, at: Date): Promise<void> {
    const fields = { userId: gateway.userId, writerUserId: writer.userId };
    const contact = { $setOnInsert: { ...fields, at } };
    await againOnDuplicate(() =>
      this.#contacts.updateOne({ _id: contactId(gateway, writer) }, contact, { upsert: true }),
    );
  }

  /** Whether an agent has written to a gateway before. */
  async has(gateway: AgentAddress, writer: AgentAddress): Promise<boolean> {
    return (await this.#contacts.findOne({ _id: contactId(gateway, writer) })) !== null;
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#contacts.deleteMany({ userId });
    await this.#contacts.deleteMany({ writerUserId: userId });
  }
}

function contactId(gateway: AgentAddress, writer: AgentAddress): string {
  return `${gateway.agentId}/${writer.agentId}`;
}
