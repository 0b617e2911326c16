import type { Collection } from 'mongodb';
import { chooseSlot, fingerprint, retryOnDuplicateKey, tryWrite } from '@daycare/mongo';
import { limitOwnerId, type Agent } from '../domain/agent';
import { agentGroupOf, tooManyAgents, type AgentLimits } from '../domain/agent-limits';
import { slotIndex, toAgent, type AgentDocument, type Slot } from './agent-document';

export interface EnsuredAgent {
  readonly agent: Agent;
  /** Whether this call created the agent. */
  readonly created: boolean;
}

/** The fields that are removed when an agent ends. */
export const freedSlot = { slotOf: 1, slot: 1 } as const;

/**
 * Creates agents. An agent of a limited group occupies one of its owner's slots; a unique index lets only one agent
 * occupy each slot, however many are created at the same time.
 */
export class AgentSlots {
  constructor(
    private readonly agents: Collection<AgentDocument>,
    private readonly limits: AgentLimits,
  ) {}

  /** Finds the agent with this key or else inserts the draft; inserting throws when the owner has no slot left. */
  async ensure(draft: Agent, key: string): Promise<EnsuredAgent> {
    const group = agentGroupOf(draft.kind);
    if (!group) return retryOnDuplicateKey(() => this.#upsert(draft, key));
    const slotOf = `${limitOwnerId(draft)}:${group}`;
    for (;;) {
      const slot = chooseSlot(await this.#takenSlots(slotOf), this.limits[group], draft.id);
      if (slot === undefined)
        return this.#findExisting(draft, key, tooManyAgents(group, this.limits));
      // Fails if another call has just taken the slot or created the agent; either fills a slot, so the loop ends.
      const ensured = await tryWrite(() => this.#upsert(draft, key, { slotOf, slot }));
      if (ensured) return ensured;
    }
  }

  async #upsert(
    { id: _id, userId, ...fields }: Agent,
    key: string,
    slot?: Slot,
  ): Promise<EnsuredAgent> {
    const draft = { _id, ...fields, ...slot, mark: fingerprint(_id) };
    const found = await this.agents.findOneAndUpdate(
      { userId, key },
      { $setOnInsert: draft },
      { upsert: true, returnDocument: 'after' },
    );
    if (!found) throw new Error('an upsert returned nothing');
    return { agent: toAgent(found), created: found._id === _id };
  }

  async #findExisting({ userId }: Agent, key: string, refusal: Error): Promise<EnsuredAgent> {
    const existing = await this.agents.findOne({ userId, key });
    if (!existing) throw refusal;
    return { agent: toAgent(existing), created: false };
  }

  async #takenSlots(slotOf: string): Promise<(number | undefined)[]> {
    const options = { projection: { _id: 0, slot: 1 }, hint: slotIndex };
    const taken = await this.agents.find({ slotOf, slot: { $exists: true } }, options).toArray();
    return taken.map(({ slot }) => slot);
  }
}
