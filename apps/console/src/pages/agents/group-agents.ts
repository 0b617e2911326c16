import { DescriptorKind, type AgentSummary } from '@daycare/contracts/agent-runtime';
import type { TopologySubuser } from '@daycare/contracts/topology';

export interface AgentGroup {
  readonly title: string;
  /** Whether these are the person's own agents rather than a subuser's. */
  readonly isMine: boolean;
  readonly agents: readonly AgentSummary[];
}

/** Groups agents: my conversations first, then my other agents, then each subuser's agents with its gateway first. */
export function groupAgents(
  agents: readonly AgentSummary[],
  subusers: readonly TopologySubuser[],
  myId: string,
  searchText: string,
  nameOf: (agent: AgentSummary) => string,
): readonly AgentGroup[] {
  const text = searchText.trim().toLowerCase();
  const matching = text === '' ? agents : agents.filter((agent) => hasText(nameOf(agent), text));
  const byUser = groupByUser(matching);
  const mine = byUser.get(myId) ?? [];
  const isConversation = ({ kind }: AgentSummary): boolean => kind === DescriptorKind.USER;
  const groups = [
    { title: 'Conversations', isMine: true, agents: mine.filter(isConversation) },
    { title: 'Other agents', isMine: true, agents: mine.filter((agent) => !isConversation(agent)) },
    ...subusers.map(({ subuserId, name }) => ({
      title: name,
      isMine: false,
      agents: gatewayFirst(byUser.get(subuserId) ?? []),
    })),
  ];
  return groups.filter((group) => group.agents.length > 0);
}

function hasText(name: string, text: string): boolean {
  return name.toLowerCase().includes(text);
}

/** Groups in one pass, because there may be many agents and many subusers. */
function groupByUser(agents: readonly AgentSummary[]): ReadonlyMap<string, AgentSummary[]> {
  const groups = new Map<string, AgentSummary[]>();
  for (const agent of agents) {
    const group = groups.get(agent.userId) ?? [];
    groups.set(agent.userId, group);
    group.push(agent);
  }
  return groups;
}

function gatewayFirst(agents: readonly AgentSummary[]): readonly AgentSummary[] {
  const rank = ({ kind }: AgentSummary): number => (kind === DescriptorKind.SUBUSER ? 0 : 1);
  return [...agents].sort((one, other) => rank(one) - rank(other));
}
