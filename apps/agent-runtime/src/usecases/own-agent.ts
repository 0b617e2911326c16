import { AppError } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import type { DescriptorOf } from '../domain/descriptor';
import { keyOf } from '../domain/descriptor-kinds';
import type { Cron } from '../domain/schedule';
import type { AgentStore } from '../store/agent-store';
import type { CronStore } from '../store/cron-store';
import type { InboxStore } from '../store/inbox-store';
import type { FindOrMakeAgent } from './ensure-agent';

export interface OwnAgentDeps {
  readonly crons: CronStore;
  readonly agents: AgentStore;
  readonly inbox: InboxStore;
  readonly findOrMakeAgent: FindOrMakeAgent;
  readonly now: () => Date;
}

const takenOffAtOnce = 1_000;

/** The agent of a cron's own, made if there is none: a cron is kept before its agent is made. */
export async function makeOwnAgent(
  { crons, findOrMakeAgent }: Pick<OwnAgentDeps, 'crons' | 'findOrMakeAgent'>,
  cron: Pick<Cron, 'id' | 'userId'>,
): Promise<Agent> {
  const { agent } = await findOrMakeAgent(cron.userId, ownDescriptor(cron));
  await crons.setAgent(cron, agent.id);
  return agent;
}

/**
 * Ends the agent of a cron's own, if it has one; what waits for it is taken off. One that is still to be
 * made is made first: whoever is about to make it then finds it dead.
 */
export async function endOwnAgent(deps: OwnAgentDeps, cron: Cron): Promise<void> {
  const { agents, inbox, now } = deps;
  const agent =
    cron.agentId === ''
      ? await unlessGone(makeOwnAgent(deps, cron))
      : await agents.findByKey(cron.userId, keyOf(ownDescriptor(cron)));
  if (!agent) return;
  await agents.kill(agent, now());
  for (;;) {
    const waiting = await inbox.next(agent, takenOffAtOnce);
    if (waiting.length === 0) return;
    const messageIds = waiting.map(({ messageId }) => messageId);
    await inbox.settle(agent.id, messageIds, now());
  }
}

/** Undefined when the user of an agent is gone. */
export async function unlessGone(agent: Promise<Agent>): Promise<Agent | undefined> {
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
