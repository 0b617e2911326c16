import { AgentLifecycle, DescriptorKind, type Agent } from '@daycare/contracts/agent-runtime';
import { daycare } from '../../../data/client';
import { reloadMs, useReloadOn, useResource } from '../../../data/resource';
import { topology } from '../../../data/topology';
import { Badge } from '../../../ui/layout';
import { Tree, type TreeNode } from '../../../ui/tree';

const pageSize = 500;

/** The agents that this agent has started, directly or through other agents, among the newest `pageSize`. */
export function BackgroundAgents({
  agentId,
  subuserId,
}: {
  readonly agentId: string;
  /** Empty for my own agents. */
  readonly subuserId: string;
}) {
  const agents = useResource(
    async (signal) => {
      const kinds = [DescriptorKind.SUBAGENT, DescriptorKind.APP];
      const request = { pageSize, pageToken: '', subuserId, kinds, includeDead: true };
      const page = await daycare.rpc.agentRuntime.listAgents(request, { signal });
      return { byParent: groupByParent(page.agents), hasMore: page.nextPageToken !== '' };
    },
    [agentId, subuserId],
  );
  useReloadOn(agents, topology.value?.revision, reloadMs);
  const state = agents.state.value;
  if (state.status !== 'ready') return null;
  const { byParent, hasMore } = state.value;
  const nodes = childrenOf(agentId, byParent);
  if (nodes.length === 0) return null;
  return (
    <details class="background">
      <summary>
        Background agents <span class="count">{countNodes(nodes)}</span>
      </summary>
      <Tree nodes={nodes} label="Background agents" />
      {hasMore && <p class="muted small">Agents older than the newest {pageSize} are not shown.</p>}
    </details>
  );
}

type ByParent = ReadonlyMap<string, readonly Agent[]>;

function groupByParent(agents: readonly Agent[]): ByParent {
  const groups = new Map<string, Agent[]>();
  for (const agent of agents) {
    const kind = agent.descriptor?.kind;
    const parent =
      kind?.$case === 'subagent' || kind?.$case === 'app' ? kind.value.parentAgentId : undefined;
    if (parent === undefined) continue;
    groups.set(parent, [...(groups.get(parent) ?? []), agent]);
  }
  return groups;
}

function childrenOf(agentId: string, groups: ByParent): readonly TreeNode[] {
  return (groups.get(agentId) ?? []).map((agent) => ({
    id: agent.id,
    content: (
      <>
        <a href={`/agents/${agent.id}`}>{agent.label}</a> <Lifecycle agent={agent} />
      </>
    ),
    children: childrenOf(agent.id, groups),
  }));
}

function countNodes(nodes: readonly TreeNode[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + countNodes(children), 0);
}

export function Lifecycle({ agent }: { readonly agent: Pick<Agent, 'lifecycle' | 'waiting'> }) {
  if (agent.waiting) return <Badge kind="warn">Waiting for {agent.waiting.for}</Badge>;
  if (agent.lifecycle === AgentLifecycle.DEAD) return <Badge>Ended</Badge>;
  return agent.lifecycle === AgentLifecycle.SLEEPING ? (
    <Badge>Asleep</Badge>
  ) : (
    <Badge kind="good">Active</Badge>
  );
}
