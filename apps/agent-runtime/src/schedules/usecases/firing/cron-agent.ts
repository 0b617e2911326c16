import { AppError } from '@daycare/api';
import {
  type Agent,
  type AgentReader,
  type DescriptorOf,
  type FindOrCreateAgent,
  keyOf,
} from '../../../agents';
import type { Cron } from '../../domain/schedule';
import type { CronStore } from '../../store/cron-store';
import type { EndAgent } from '../../../messaging';

export interface OwnAgentDeps {
  readonly crons: CronStore;
  readonly agents: AgentReader;
  readonly endAgent: EndAgent;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly now: () => Date;
}

/** Finds the cron's own agent, or creates it, since a cron is stored before its agent is created. */
export async function findOrCreateOwnAgent(
  { crons, findOrCreateAgent }: Pick<OwnAgentDeps, 'crons' | 'findOrCreateAgent'>,
  cron: Pick<Cron, 'id' | 'userId'>,
): Promise<Agent> {
  const { agent } = await findOrCreateAgent(cron.userId, ownDescriptor(cron));
  await crons.setAgent(cron, agent.id);
  return agent;
}

/**
 * Ends the cron's own agent, if it has one, and empties the agent's inbox. If that agent does not exist yet, it is
 * created first, so that a call that is still creating the cron finds it dead instead of creating a living one.
 */
export async function endOwnAgent(deps: OwnAgentDeps, cron: Cron): Promise<void> {
  const agent =
    cron.agentId === ''
      ? await unlessDeleted(findOrCreateOwnAgent(deps, cron))
      : await deps.agents.findByKey(cron.userId, keyOf(ownDescriptor(cron)));
  if (agent) await deps.endAgent(agent);
}

/** Resolves to the agent; undefined when its user has been deleted. */
export async function unlessDeleted(agent: Promise<Agent>): Promise<Agent | undefined> {
  try {
    return await agent;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function ownDescriptor({ id }: Pick<Cron, 'id'>): DescriptorOf<'cron'> {
  return { kind: 'cron', id };
}
