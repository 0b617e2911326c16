import { notFound, type FieldChecks } from '@daycare/api';
import type { Viewer } from '../domain/viewer';

/** What is known about an agent that a caller named. */
export interface FoundAgent {
  readonly userId: string;
  readonly isDead: boolean;
}

/** Looks up an agent on behalf of the caller; undefined if it does not exist or the caller may not see it. */
export type FindAgent = (
  caller: Viewer,
  agentId: string,
  signal: AbortSignal,
) => Promise<FoundAgent | undefined>;

/** Resolves for a living agent of the caller's user; throws NOT_FOUND for any other agent, even if it exists. */
export type CheckOwnAgent = (caller: Viewer, agentId: string, signal: AbortSignal) => Promise<void>;

/**
 * Throws NOT_FOUND for an agent that has ended, and removes what the calling usecase has just written for it.
 * CheckOwnAgent before the write is not enough: the agent may end in between.
 */
export type ConfirmAlive = (agent: {
  readonly userId: string;
  readonly agentId: string;
}) => Promise<void>;

/** The agent is looked up even if it is the calling agent, because an agent's token may outlive the agent. */
export function makeCheckOwnAgent(findAgent: FindAgent): CheckOwnAgent {
  return async (caller, agentId, signal) => {
    const agent = await findAgent(caller, agentId, signal);
    if (agent?.userId !== caller.userId || agent.isDead) throw notFound('agent');
  };
}

/** Returns the agent that a call applies to: the one it names, or else the calling agent. */
export function resolveAgentId({ agentId: callerId = '' }: Viewer, namedId: string): string {
  return namedId || callerId;
}

/** Only a person has to name the agent; for a calling agent it is optional. */
export function checkAgentId(
  checks: FieldChecks,
  { agentId: callerId }: Viewer,
  namedId: string,
  field: string,
): FieldChecks {
  return namedId === '' && callerId ? checks : checks.id(namedId, field);
}
