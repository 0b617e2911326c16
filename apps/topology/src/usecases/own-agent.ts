import { notFound, type FieldChecks } from '@daycare/errors';
import type { Viewer } from '../domain/facts';

/** What there is to know of an agent that a caller names. */
export interface NamedAgent {
  readonly userId: string;
  readonly isDead: boolean;
}

/** Asked as the caller; undefined when it may not see such an agent. */
export type FindAgent = (
  caller: Viewer,
  agentId: string,
  signal: AbortSignal,
) => Promise<NamedAgent | undefined>;

/** Resolves for a living agent of the caller's own user; any other is refused as if it did not exist. */
export type CheckOwnAgent = (caller: Viewer, agentId: string, signal: AbortSignal) => Promise<void>;

/** The agent that calls is known by its token. */
export function makeCheckOwnAgent(findAgent: FindAgent): CheckOwnAgent {
  return async (caller, agentId, signal) => {
    if (agentId === caller.agentId) return;
    const agent = await findAgent(caller, agentId, signal);
    if (agent?.userId !== caller.userId || agent.isDead) throw notFound('Agent');
  };
}

/** The agent that a call is about: the named one, or else the one that calls. */
export function agentOf({ agentId: calling = '' }: Viewer, named: string): string {
  return named || calling;
}

/** A person has to name the agent; the one that calls is known. */
export function checkAgentId(
  checks: FieldChecks,
  { agentId: calling }: Viewer,
  named: string,
  field: string,
): FieldChecks {
  return named === '' && calling ? checks : checks.id(named, field);
}
