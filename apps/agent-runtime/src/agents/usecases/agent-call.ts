import type { Trust } from '@daycare/api';
import type { Agent } from '../domain/agent';
import type { StartedBy } from '../domain/started-by';

/** A call to a peer service on behalf of an agent; a retry has the same request id. */
export interface AgentCall {
  readonly agent: Pick<Agent, 'id' | 'userId' | 'ownerUserId'>;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** The number of agents in the chain before the calling agent; absent if the call cannot trigger another agent. */
  readonly hops?: number;
  /** The trust of the turn that makes the call. */
  readonly trust?: Trust;
  /** Whether that turn has read something private. */
  readonly readPrivate?: boolean;
  /** The guest or outsider whose words are in that turn's context. */
  readonly foreignWriter?: string | undefined;
  /**
   * Whether that turn has read text from a guest or outsider in a tool's result, or handles a decision on a request
   * from a turn that had; the messages that it answers do not count.
   */
  readonly hasReadForeign?: true | undefined;
  /** Set by the tool registry if the agent's guests share one conversation. */
  readonly isShared?: true | undefined;
  /** Who started that turn. */
  readonly startedBy?: StartedBy;
  readonly traceparent?: string | undefined;
}
