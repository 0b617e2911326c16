import type { Collection, Db } from 'mongodb';
import { retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';

/** An agent, and the user it belongs to. */
export interface EndedAgent {
  readonly userId: string;
  readonly agentId: string;
}

interface EndedAgentDocument {
  /** The agent's id. */
  readonly _id: string;
  readonly userId: string;
  readonly endedAt: Date;
  /** Set by the final check, which runs when every call that began before the agent ended must be over. */
  readonly isDone?: true;
}

const collection = 'ended_agents';
const batchSize = 100;
/** Longer than any call lasts. For a call that begins later, agent-runtime reports the agent as dead. */
const rememberedSeconds = 24 * 60 * 60;

export const endedAgentIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'user', key: { userId: 1 } },
    { name: 'owed', key: { isDone: 1, endedAt: 1 } },
    { name: 'expiry', key: { endedAt: 1 }, expireAfterSeconds: rememberedSeconds },
  ],
};

/** Agents that ended recently. Calls that are still running may subscribe them, add them to channels or expose them. */
export class EndedAgentStore {
  readonly #agents: Collection<EndedAgentDocument>;

  constructor(db: Db) {
    this.#agents = db.collection(collection);
  }

  /** Marks an agent as ended; adding it again keeps the first time. */
  async add({ userId, agentId }: EndedAgent, endedAt: Date): Promise<void> {
    await retryOnDuplicateKey(() =>
      this.#agents.updateOne(
        { _id: agentId },
        { $setOnInsert: { userId, endedAt } },
        { upsert: true },
      ),
    );
  }

  async has({ userId, agentId }: EndedAgent): Promise<boolean> {
    return (await this.#agents.findOne({ _id: agentId, userId })) !== null;
  }

  /** Lists agents that ended before the given time and still need their final check, oldest first. */
  async listUnchecked(before: Date): Promise<EndedAgent[]> {
    const documents = await this.#agents
      .find({ isDone: { $exists: false }, endedAt: { $lt: before } }, { hint: 'owed' })
      .sort({ endedAt: 1 })
      .limit(batchSize)
      .toArray();
    return documents.map(({ _id: agentId, userId }) => ({ userId, agentId }));
  }

  async finish({ userId, agentId }: EndedAgent): Promise<void> {
    await this.#agents.updateOne({ _id: agentId, userId }, { $set: { isDone: true } });
  }

  async deleteByUser(userId: string): Promise<void> {
    await this.#agents.deleteMany({ userId });
  }
}
