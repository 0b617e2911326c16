import { FieldChecks, notFound } from '@daycare/api';
import { isVisibleTo, type Agent } from '../domain/agent';
import type { AgentStore } from '../store/agent-store';

/** Finds an agent. Throws NOT_FOUND if the caller may not see it, exactly as if it did not exist. */
export async function findVisibleAgent(
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
