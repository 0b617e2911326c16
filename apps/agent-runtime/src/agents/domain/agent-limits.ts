import { AppError } from '@daycare/api';
import type { DescriptorKind } from './descriptor/descriptor';

/** The groups of agents that are limited per owner, because such agents do not end on their own. */
export type AgentGroup = 'conversation' | 'named';

/** How many living agents of each group an owner and its subusers may have together. */
export type AgentLimits = Readonly<Record<AgentGroup, number>>;

export const defaultAgentLimits: AgentLimits = { conversation: 100, named: 100 };

/**
 * Undefined for kinds that are limited in another way: by the number of subusers, schedules or awake background agents.
 */
const groupOf: Readonly<Record<DescriptorKind, AgentGroup | undefined>> = {
  user: 'conversation',
  permanent: 'named',
  app: 'named',
  subuser: undefined,
  subagent: undefined,
  cron: undefined,
  heartbeat: undefined,
};

export function agentGroupOf(kind: DescriptorKind): AgentGroup | undefined {
  return groupOf[kind];
}

const wording: Readonly<Record<AgentGroup, string>> = {
  conversation: 'conversations with agents; each channel of a connector counts as one',
  named: 'permanent and app agents; end one first',
};

export function tooManyAgents(group: AgentGroup, limits: AgentLimits): AppError {
  const description = `at most ${limits[group]} ${wording[group]}`;
  return new AppError('QUOTA_EXCEEDED', `You can have ${description}`, {
    quota: { subject: 'caller', description },
  });
}
