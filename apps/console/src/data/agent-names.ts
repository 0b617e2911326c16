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

/** Cron names, by the id of the agent that runs the cron. */
const cronNames = computed(
  () =>
    new Map((topology.value?.cronTasks?.crons ?? []).map(({ agentId, name }) => [agentId, name])),
);

/** Returns an agent's display name; undefined for an agent that is not listed, e.g. one that has ended. */
export function labelOf(agentId: string): string | undefined {
  const agent = agentsById.value.get(agentId);
  if (agent?.kind === DescriptorKind.CRON) {
    const name = cronNames.value.get(agentId);
    return name === undefined ? 'a deleted cron' : `cron “${name}”`;
  }
  if (agent?.kind === DescriptorKind.HEARTBEAT) return 'heartbeats';
  return agent && displayName(agent.label);
}

/** Like `labelOf`, but falls back to the end of the id for an agent that is not listed. */
export function agentName(agentId: string): string {
  return labelOf(agentId) ?? `agent ${agentId.slice(-6)}`;
}

/** Returns the display name of the person or one of their subusers. */
export function userName(userId: string): string {
  if (userId === topology.value?.self?.userId) return 'You';
  return subusersById.value.get(userId)?.name ?? 'a deleted subuser';
}

const consolePrefix = 'console:me#';

/** Returns the label to display: for a conversation started in the console, the name that the person gave it. */
export function displayName(label: string): string {
  return label.startsWith(consolePrefix) ? label.slice(consolePrefix.length) : label;
}
