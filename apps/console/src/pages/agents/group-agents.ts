import { DescriptorKind, type AgentSummary } from '@daycare/contracts/agent-runtime';
import type { TopologySubuser } from '@daycare/contracts/topology';

export interface AgentGroup {
  readonly title: string;
  readonly agents: readonly AgentSummary[];
}

/** My conversations first, then my other agents, then each subuser with its gateway first. */
export function groupAgents(
  agents: readonly AgentSummary[],
  subusers: readonly TopologySubuser[],
  myId: string,
  wanted: string,
): readonly AgentGroup[] {
  const text = wanted.trim().toLowerCase();
  const found = agents.filter(({ label }) => label.toLowerCase().includes(text));
  const mine = found.filter(({ userId }) => userId === myId);
  const isConversation = ({ kind }: AgentSummary): boolean => kind === DescriptorKind.USER;
  const groups = [
    { title: 'Conversations', agents: mine.filter(isConversation) },
    { title: 'Other agents', agents: mine.filter((agent) => !isConversation(agent)) },
    ...subusers.map(({ subuserId, name }) => ({
      title: name,
      agents: gatewayFirst(found.filter(({ userId }) => userId === subuserId)),
    })),
  ];
  return groups.filter((group) => group.agents.length > 0);
}

function gatewayFirst(agents: readonly AgentSummary[]): readonly AgentSummary[] {
  const rank = ({ kind }: AgentSummary): number => (kind === DescriptorKind.SUBUSER ? 0 : 1);
  return [...agents].sort((one, other) => rank(one) - rank(other));
}
