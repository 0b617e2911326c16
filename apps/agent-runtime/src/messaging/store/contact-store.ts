import type { Collection, Db } from 'mongodb';
import { insertAll, retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import type { AnsweredWriter } from '../domain/answer-target';
import type { AgentAddress } from '../../agents';

interface ContactDocument {
  /** `<gateway>/<agent>`, or `<gateway>/<origin>` for someone who writes by nametag. */
  readonly _id: string;
  /** The subuser whose gateway received the message. */
  readonly userId: string;
  readonly writerUserId: string;
  /** For a contact that writes by nametag: the agent that last did so; absent when a person did. */
  readonly writerAgentId?: string;
  readonly at: Date;
}

/** An agent that has written to a gateway. */
export interface Contact {
  readonly gateway: AgentAddress;
  readonly writer: AgentAddress;
  readonly at: Date;
}

/** Someone who has written to a gateway by the nametag of its subuser. */
export interface WriterContact {
  readonly gateway: AgentAddress;
  /** The origin of the message, `friend:<nametag>` or `owner:<nametag>`. */
  readonly origin: string;
  readonly writer: AnsweredWriter;
  readonly at: Date;
}

const collection = 'contacts';

export const contactIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'user', key: { userId: 1 } },
    { name: 'writer', key: { writerUserId: 1 } },
  ],
};

/** Other users and their agents that have written to a gateway, which may therefore answer them. */
export class ContactStore {
  readonly #contacts: Collection<ContactDocument>;

  constructor(db: Db) {
    this.#contacts = db.collection(collection);
  }

  /** Adds contacts; those that are already stored stay unchanged. */
  async addAll(contacts: readonly Contact[]): Promise<void> {
    if (contacts.length === 0) return;
    const byId = new Map(contacts.map((contact) => [contactId(contact), contact]));
    const stored = await this.#contacts
      .find({ _id: { $in: [...byId.keys()] } }, { projection: { _id: 1 } })
      .toArray();
    for (const { _id } of stored) byId.delete(_id);
    if (byId.size > 0) await insertAll(this.#contacts, [...byId.values()].map(toDocument));
  }

  /** Reports whether an agent has written to a gateway before. */
  async has(gateway: AgentAddress, writer: AgentAddress): Promise<boolean> {
    return (await this.#contacts.findOne({ _id: contactId({ gateway, writer }) })) !== null;
  }

  /** Stores who last wrote under each origin; writes only what has changed. */
  async addWriters(contacts: readonly WriterContact[]): Promise<void> {
    if (contacts.length === 0) return;
    const byId = new Map(contacts.map((contact) => [writerId(contact), contact]));
    const stored = await this.#contacts.find({ _id: { $in: [...byId.keys()] } }).toArray();
    for (const { _id, writerAgentId } of stored)
      if (byId.get(_id)?.writer.agentId === writerAgentId) byId.delete(_id);
    if (byId.size > 0)
      await retryOnDuplicateKey(() => this.#contacts.bulkWrite([...byId.values()].map(toUpsert)));
  }

  /** Returns who last wrote to a gateway, by the nametag of its subuser, with this origin. */
  async findWriter(gatewayId: string, origin: string): Promise<AnsweredWriter | undefined> {
    const found = await this.#contacts.findOne({ _id: `${gatewayId}/${origin}` });
    return found ? { userId: found.writerUserId, agentId: found.writerAgentId } : undefined;
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#contacts.deleteMany({ userId });
    await this.#contacts.deleteMany({ writerUserId: userId });
  }
}

function contactId({ gateway, writer }: Pick<Contact, 'gateway' | 'writer'>): string {
  return `${gateway.agentId}/${writer.agentId}`;
}

function toDocument({ gateway, writer, at }: Contact): ContactDocument {
  const _id = contactId({ gateway, writer });
  return { _id, userId: gateway.userId, writerUserId: writer.userId, at };
}

function writerId({ gateway, origin }: WriterContact): string {
  return `${gateway.agentId}/${origin}`;
}

function toUpsert(contact: WriterContact) {
  const { gateway, writer, at } = contact;
  const { agentId } = writer;
  const fields = { userId: gateway.userId, writerUserId: writer.userId, at };
  const update = agentId
    ? { $set: { ...fields, writerAgentId: agentId } }
    : { $set: fields, $unset: { writerAgentId: true as const } };
  return { updateOne: { filter: { _id: writerId(contact) }, update, upsert: true } };
}
