import type { Agent } from '../domain/agent';
import type { PermissionRequest } from '../domain/permission';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';
import type { InboxStore } from '../store/inbox-store';

export interface AskerDeps {
  readonly agents: Pick<AgentStore, 'find'>;
  readonly inbox: Pick<InboxStore, 'isResetWaiting'>;
  readonly history: Pick<HistoryStore, 'findHead'>;
}

/** Every history begins with a start, so this is what a context begins with. */
const firstSequence = 1;

/** Where the context of an agent begins: a reset, and nothing else, changes that. */
export async function contextFromOf(
  { history }: Pick<AskerDeps, 'history'>,
  agentId: string,
): Promise<number> {
  const head = await history.findHead(agentId);
  return head?.state.contextFrom ?? firstSequence;
}

/**
 * The agent that asked, if it lives and will know that it did: undefined when it was reset since, or
 * will be before it comes to anything new. The inbox is looked at first, since a reset leaves it only
 * after the history has it.
 */
export async function findAsker(
  deps: AskerDeps,
  { agentId, contextFrom }: Pick<PermissionRequest, 'agentId' | 'contextFrom'>,
): Promise<Agent | undefined> {
  const agent = await deps.agents.find(agentId);
  if (!agent || agent.diedAt || (await deps.inbox.isResetWaiting(agent))) return undefined;
  return (await contextFromOf(deps, agentId)) === contextFrom ? agent : undefined;
}
