import { computed } from '@preact/signals';
import { DescriptorKind, type AgentSummary } from '@daycare/contracts/agent-runtime';
import { topology } from './topology';

/** My agents and those of my subusers, by id. */
export const agentsById = computed<ReadonlyMap<string, AgentSummary>>(
  () => new Map((topology.value?.agents?.agents ?? []).map((agent) => [agent.id, agent])),
);

/** My subusers, by their user id. */
export const subusersById = computed(
  () =>
    new Map(
      (topology.value?.subusers?.subusers ?? []).map((subuser) => [subuser.subuserId, subuser]),
    ),
);

/** The names of crons, by the agent that runs them. */
const cronNames = computed(
  () =>
    new Map((topology.value?.cronTasks?.crons ?? []).map(({ agentId, name }) => [agentId, name])),
);

/** The name of an agent for people; undefined for one that is not mine. */
export function labelOf(agentId: string): string | undefined {
  const agent = agentsById.value.get(agentId);
  if (agent?.kind === DescriptorKind.CRON)
    return `cron “${cronNames.value.get(agentId) ?? 'deleted'}”`;
  if (agent?.kind === DescriptorKind.HEARTBEAT) return 'heartbeats';
  return agent && displayName(agent.label);
}

/** As `labelOf`; part of its id for one that is not listed, as those that have ended are. */
export function agentName(agentId: string): string {
  return labelOf(agentId) ?? `agent ${agentId.slice(-6)}`;
}

/** What to call me or one of my subusers. */
export function userName(userId: string): string {
  if (userId === topology.value?.self?.userId) return 'You';
  return subusersById.value.get(userId)?.name ?? 'a deleted subuser';
}

const ownPrefix = 'console:me#';

/** The label as people read it: conversations that were begun here have the name that they were given. */
export function displayName(label: string): string {
  return label.startsWith(ownPrefix) ? label.slice(ownPrefix.length) : label;
}
