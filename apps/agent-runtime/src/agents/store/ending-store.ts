import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { Agent } from '../domain/agent';
import { agentCollection, alive, toAgent, type AgentDocument } from './agent-document';
import { deathAt } from './agent-store';

export const endingIndexes: CollectionIndexes = {
  collection: agentCollection,
  shardKey: 'unsharded',
  indexes: [
    {
      name: 'ending',
      key: { endingDueAt: 1 },
      partialFilterExpression: { endingDueAt: { $exists: true } },
    },
    {
      name: 'idle_subagents',
      key: { diedAt: 1, lastActiveAt: 1 },
      partialFilterExpression: { kind: 'subagent' },
    },
  ],
};

const batchSize = 100;

export interface DueEnding {
  readonly agent: Agent;
  readonly dueAt: Date;
}

/** Ends agents, and tracks those for which some of the steps that follow an ending are still to be done. */
export class EndingStore {
  readonly #agents: Collection<AgentDocument>;

  constructor(db: Db) {
    this.#agents = db.collection(agentCollection);
  }

  /**
   * Marks a living agent as dead and schedules the steps that follow. Ending it again changes nothing.
   */
  async end({ id, userId }: Pick<Agent, 'id' | 'userId'>, now: Date): Promise<void> {
    const death = deathAt(now);
    await this.#agents.updateOne(
      { _id: id, userId, ...alive },
      { ...death, $set: { ...death.$set, endingDueAt: now } },
    );
  }

  /** Lists at most 100 agents whose ending is due, longest overdue first. */
  async listDue(now: Date): Promise<DueEnding[]> {
    const found = await this.#agents
      .find({ endingDueAt: { $lte: now } }, { hint: 'ending' })
      .sort({ endingDueAt: 1 })
      .limit(batchSize)
      .toArray();
    return found.flatMap((agent) => {
      const { endingDueAt: dueAt } = agent;
      return dueAt ? { agent: toAgent(agent), dueAt } : [];
    });
  }

  /** Postpones a due ending to `nextAt`, so that no other replica handles it until then; false if one was faster. */
  async claim({ agent, dueAt }: DueEnding, nextAt: Date): Promise<boolean> {
    const filter = { _id: agent.id, endingDueAt: dueAt };
    const { matchedCount } = await this.#agents.updateOne(filter, {
      $set: { endingDueAt: nextAt },
    });
    return matchedCount > 0;
  }

  /** Records that all steps are done. `checkAgainAt` schedules a final check; without it, nothing is left to do. */
  async finish(id: string, checkAgainAt?: Date): Promise<void> {
    await this.#agents.updateOne(
      { _id: id, endingDueAt: { $exists: true } },
      checkAgainAt ? { $set: { endingDueAt: checkAgainAt } } : { $unset: { endingDueAt: 1 } },
    );
  }

  /** Lists at most 100 living background agents that were last active before the given time, longest idle first. */
  async listIdleSubagents(since: Date): Promise<Agent[]> {
    const found = await this.#agents
      .find(
        { kind: 'subagent', ...alive, lastActiveAt: { $lt: since } },
        { hint: 'idle_subagents' },
      )
      .sort({ lastActiveAt: 1 })
      .limit(batchSize)
      .toArray();
    return found.map(toAgent);
  }
}
