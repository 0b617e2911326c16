import type { AgentSession } from './agent-session';

const mostSessions = 10_000;
/** In tokens of context, of about eight bytes each. */
const mostTokens = 20_000_000;

/** Agents that ran of late with what they have in mind; those that ran longest ago make room. */
export class SessionCache {
  readonly #sessions = new Map<string, AgentSession>();

  get(agentId: string): AgentSession | undefined {
    const session = this.#sessions.get(agentId);
    if (!session) return undefined;
    this.#sessions.delete(agentId);
    this.#sessions.set(agentId, session);
    return session;
  }

  set(agentId: string, session: AgentSession): void {
    this.#sessions.delete(agentId);
    this.#sessions.set(agentId, session);
    let tokens = 0;
    for (const { state } of this.#sessions.values()) tokens += state.contextTokens;
    for (const [oldest, { state }] of this.#sessions) {
      if (tokens <= mostTokens && this.#sessions.size <= mostSessions) return;
      this.#sessions.delete(oldest);
      tokens -= state.contextTokens;
    }
  }

  delete(agentId: string): void {
    this.#sessions.delete(agentId);
  }
}
