import { FieldChecks, notFound } from '@daycare/errors';
import { isVisibleTo, type Agent } from '../domain/agent';
import type { AgentStore } from '../store/agent-store';

/** The agent a caller names, if it may know of it; NOT_FOUND exactly as if it did not exist otherwise. */
export async function findVisible(
  agents: Pick<AgentStore, 'find'>,
  userId: string,
  agentId: string,
  field = 'agent_id',
): Promise<Agent> {
  new FieldChecks().id(agentId, field).done();
  const agent = await agents.find(agentId);
  if (!agent || !isVisibleTo(agent, userId)) throw notFound('agent');
  return agent;
}
