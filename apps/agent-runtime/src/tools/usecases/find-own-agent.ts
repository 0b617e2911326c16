import { notFound } from '@daycare/api';
import type { Agent } from '../../agents';

export type FindAgent = (agentId: string) => Promise<Agent | undefined>;

/** An agent of the user itself; agents of its subusers are reached through their gateways only. */
export async function findOwnAgent(
  findAgent: FindAgent,
  userId: string,
  agentId: string,
): Promise<Agent> {
  const agent = await findAgent(agentId);
  if (agent?.userId !== userId) throw notFound('agent');
  return agent;
}
