import {
  firstValidRequestSequence,
  type Agent,
  type AgentReader,
  type HistoryReader,
} from '../../agents';
import type { PermissionRequest } from '../domain/permission';
import type { InboxReader } from '../../messaging';

export interface RequesterDeps {
  readonly agents: Pick<AgentReader, 'find'>;
  readonly inbox: Pick<InboxReader, 'isResetWaiting'>;
  readonly history: Pick<HistoryReader, 'findHead'>;
}

/** The sequence number of the start record, with which every history begins. */
const firstSequence = 1;

/**
 * Returns the sequence number from which an agent's requests are valid; only a reset, which may be an emergency reset,
 * changes it.
 */
export async function findSequenceValidFrom(
  { history }: Pick<RequesterDeps, 'history'>,
  agentId: string,
): Promise<number> {
  const head = await history.findHead(agentId);
  return head ? firstValidRequestSequence(head.state) : firstSequence;
}

/**
 * Finds the requesting agent; returns undefined if it is dead, if it has been reset since it asked, or if a reset is
 * waiting in its inbox. The inbox is read before the history, because a reset leaves the inbox only once the history
 * has recorded it.
 */
export async function findRequester(
  deps: RequesterDeps,
  { agentId, contextFrom }: Pick<PermissionRequest, 'agentId' | 'contextFrom'>,
): Promise<Agent | undefined> {
  const agent = await deps.agents.find(agentId);
  if (!agent || agent.diedAt || (await deps.inbox.isResetWaiting(agent))) return undefined;
  return (await findSequenceValidFrom(deps, agentId)) === contextFrom ? agent : undefined;
}
