import { describe, expect, it } from '@jest/globals';
import { AgentLifecycle, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { ShareStatus } from '@daycare/contracts/social-graph';
import { SectionStatus, type Topology } from '@daycare/contracts/topology';
import { graphOf, maxPerKind } from './graph-of';

const section = { status: SectionStatus.AVAILABLE, count: 0 };

function agent(id: string, userId: string, lifecycle = AgentLifecycle.SLEEPING) {
  return { id, userId, kind: DescriptorKind.PERMANENT, label: id, lifecycle, waiting: undefined };
}

function view(parts: Partial<Topology>): Topology {
  return {
    revision: 'r',
    composedAt: undefined,
    self: { userId: 'me', nametag: 'fox1', agentId: '' },
    ...parts,
  };
}

const nameOf = (agentId: string): string => agentId;

describe('graphOf', () => {
  it('draws lines from me to my agents, subusers and friends, from a subuser to its agents, and from a friend to a subuser that I offer them', () => {
    const share = { subuserId: 'cook', subuserName: 'Cook', status: ShareStatus.PENDING };
    const graph = graphOf(
      view({
        subusers: {
          ...section,
          subusers: [
            {
              subuserId: 'cook',
              name: 'Cook',
              nametag: 'c1',
              gatewayAgentId: 'g',
              gatewayLifecycle: AgentLifecycle.ACTIVE,
            },
          ],
        },
        agents: { ...section, agents: [agent('a', 'me'), agent('b', 'cook')] },
        friends: {
          ...section,
          friends: [
            {
              nametag: 'otter7',
              sharesIn: [],
              sharesOut: [{ share: share as never, gatewayAgentId: '' }],
            },
          ],
        },
      }),
      nameOf,
    );
    expect(graph.edges).toEqual([
      { from: 'me', to: 'cook', isPending: false },
      { from: 'me', to: 'a', isPending: false },
      { from: 'cook', to: 'b', isPending: false },
      { from: 'me', to: 'friend otter7', isPending: false },
      { from: 'friend otter7', to: 'cook', isPending: true },
    ]);
    expect(graph.nodes.map(({ id }) => id)).toEqual(['me', 'cook', 'a', 'b', 'friend otter7']);
  });

  it('links to a friend’s page, and to the page of a subuser they share with me', () => {
    const share = { subuserId: 's', subuserName: 'Cook', subuserNametag: 'cook 1' };
    const friend = {
      nametag: 'otter7',
      sharesIn: [{ share: share as never, gatewayAgentId: '' }],
      sharesOut: [],
    };
    const { nodes } = graphOf(view({ friends: { ...section, friends: [friend] } }), nameOf);
    expect(nodes.slice(1).map(({ href }) => href)).toEqual([
      ...['/friends/otter7', '/friends/otter7/cook%201'],
    ]);
  });

  it('shows active agents first, and one circle for all agents beyond the maximum', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => agent(`a${index}`, 'me'));
    const active = agent('active', 'me', AgentLifecycle.ACTIVE);
    const { nodes } = graphOf(view({ agents: { ...section, agents: [...many, active] } }), nameOf);
    expect(nodes).toHaveLength(1 + maxPerKind + 1);
    expect(nodes[1]).toMatchObject({ id: 'active', isActive: true });
    expect(nodes.at(-1)).toMatchObject({ kind: 'more', label: '971 more agents' });
  });

  it('limits the number of shared subusers, and shows one circle for the rest, however many friends share them', () => {
    const shareOf = (id: string) => ({ subuserId: id, subuserName: id, subuserNametag: id });
    const friends = Array.from({ length: 20 }, (_, friend) => ({
      nametag: `otter${friend}`,
      sharesIn: Array.from({ length: 20 }, (_share, index) => ({
        share: shareOf(`in ${friend} ${index}`) as never,
        gatewayAgentId: '',
      })),
      sharesOut: Array.from({ length: 20 }, (_share, index) => ({
        share: shareOf(`out ${friend} ${index}`) as never,
        gatewayAgentId: '',
      })),
    }));
    const { nodes, edges } = graphOf(view({ friends: { ...section, friends } }), nameOf);
    const countOf = (kind: string) => nodes.filter((node) => node.kind === kind).length;
    expect([countOf('friend'), countOf('shared'), countOf('subuser')]).toEqual([
      20,
      maxPerKind,
      maxPerKind,
    ]);
    expect(nodes.at(-1)).toMatchObject({ kind: 'more', label: '370 more shared subusers' });
    const ids = new Set(nodes.map(({ id }) => id));
    expect(edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([]);
  });
});
