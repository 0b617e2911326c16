import { notFound } from '@daycare/api';
import { isVisibleTo, type Agent } from '../../agents';

export type FindAgent = (agentId: string) => Promise<Agent | undefined>;

export interface AgentCaller {
  readonly userId: string;
  /** The agent whose token the caller has; undefined when a person calls. */
  readonly callerAgentId: string | undefined;
}

/**
 * An agent of the caller itself. A person who only reads may also name an agent of a subuser, whose memory and files it
 * owns; otherwise agents of subusers are reached through their gateways only.
 */
export async function findOwnAgent(
  findAgent: FindAgent,
  { userId, callerAgentId }: AgentCaller,
  agentId: string,
  isReading: boolean,
): Promise<Agent> {
  const agent = await findAgent(agentId);
  const isPersonReading = isReading && callerAgentId === undefined;
  if (agent && (agent.userId === userId || (isPersonReading && isVisibleTo(agent, userId))))
    return agent;
  throw notFound('agent');
}
