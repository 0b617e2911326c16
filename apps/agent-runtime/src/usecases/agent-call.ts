import type { Agent } from '../domain/agent';

/** A call to a peer that is made for an agent; its request id is the same when it is repeated. */
export interface AgentCall {
  readonly agent: Pick<Agent, 'id' | 'userId' | 'ownerUserId'>;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** How many agents in a row have led to it, for what sets other agents to work. */
  readonly hops?: number;
}
