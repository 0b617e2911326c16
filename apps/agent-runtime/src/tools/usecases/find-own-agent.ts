import { AppError, notFound } from '@daycare/api';
import { isVisibleTo, type Agent } from '../../agents';

export type FindAgent = (agentId: string) => Promise<Agent | undefined>;

export interface AgentCaller {
  readonly userId: string;
  /** The agent whose token the caller has; undefined when a person calls. */
  readonly callerAgentId: string | undefined;
}

/**
 * Finds one of the caller's own agents. To read, a person may also name an agent of one of their subusers, because they
 * own the subuser's memory and files. For everything else, a subuser's agents are reached only through its gateway.
 */
export async function findOwnAgent(
  findAgent: FindAgent,
  { userId, callerAgentId }: AgentCaller,
  agentId: string,
  isReading: boolean,
): Promise<Agent> {
  const agent = await findAgent(agentId);
  if (agent?.userId === userId) return agent;
  const isOwner = callerAgentId === undefined && agent !== undefined && isVisibleTo(agent, userId);
  if (!isOwner) throw notFound('agent');
  if (isReading) return agent;
  throw new AppError(
    'PERMISSION_DENIED',
    "Acting as a subuser's agent, you can call only read-only tools. Ask the subuser's gateway agent to do the rest.",
  );
}
