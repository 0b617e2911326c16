import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import { type AgentReader, limitOwnerId } from '../../agents';
import type { Lease } from '../leases/lease';
import { AgentSession, type SessionDeps } from './agent-session';

export interface AgentSessionsDeps extends SessionDeps {
  readonly agents: AgentReader;
}

const maxAgents = 100_000;
const maxSessions = 10_000;
/** The limit for the contexts of all sessions together, in tokens of about eight bytes each. */
const maxTokens = 20_000_000;

/** The sessions of agents that ran recently, so that they need not be restored for every run. */
export class AgentSessions {
  readonly #payers = new LRUCache<string, string>(limitEntries(maxAgents));
  readonly #sessions = new LRUCache<string, AgentSession>({
    max: maxSessions,
    maxSize: maxTokens,
    sizeCalculation: ({ state }) => state.contextTokens + 1,
  });

  constructor(private readonly deps: AgentSessionsDeps) {}

  /**
   * Returns the user whose limit an agent's turns count towards: a subuser's owner, or else the agent's own user.
   * This user never changes. Undefined if there is no such agent.
   */
  async findPayer(agentId: string): Promise<string | undefined> {
    const cached = this.#payers.get(agentId);
    if (cached !== undefined) return cached;
    const agent = await this.deps.agents.find(agentId);
    if (!agent) return undefined;
    const payer = limitOwnerId(agent);
    this.#payers.set(agentId, payer);
    return payer;
  }

  /** Returns an agent's session; undefined for a dead or deleted agent, which must not run any more. */
  async open(agentId: string, lease: Lease): Promise<AgentSession | undefined> {
    const agent = await this.deps.agents.find(agentId);
    if (!agent || agent.diedAt) return undefined;
    const cached = this.#sessions.get(agentId);
    if (cached?.lease === lease) {
      cached.agent = agent;
      return cached;
    }
    const session = await AgentSession.open(this.deps, agent, lease);
    this.#sessions.set(agentId, session);
    return session;
  }

  /** To be called after a run, when the context has grown, because the cache measures a session only when it is set. */
  remeasure(session: AgentSession): void {
    const { id } = session.agent;
    if (this.#sessions.peek(id) !== session) return;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
  }

  /** Drops a session, which may no longer agree with the history after a failure. */
  discard(agentId: string): void {
    this.#sessions.delete(agentId);
  }
}
