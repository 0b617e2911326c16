import { AgentLifecycle, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { ShareStatus } from '@daycare/contracts/social-graph';
import type { Topology } from '@daycare/contracts/topology';

export type NodeKind = 'me' | 'agent' | 'subuser' | 'friend' | 'shared' | 'more';

/** A circle on the map. */
export interface GraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  /** The page that the circle links to. */
  readonly href: string;
  readonly isActive: boolean;
}

/** A line on the map. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Whether the line stands for an offer that has not been accepted yet. */
  readonly isPending: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Returns the key of the line between two circles. */
export function lineOf(from: string, to: string): string {
  return `${from} – ${to}`;
}

/** Returns the id of a friend's circle; the prefix distinguishes nametags from user ids. */
export function friendId(nametag: string): string {
  return `friend ${nametag}`;
}

/**
 * The maximum number of circles for each kind: subusers, agents, friends and shared subusers. The rest of a kind share
 * one circle. A larger map would be unreadable.
 */
export const maxPerKind = 30;

/** Converts the topology to circles and lines: me, my agents, subusers and friends, and what my friends and I share. */
export function graphOf(view: Topology, nameOf: NameOf): Graph {
  const me = view.self?.userId ?? '';
  const nodes: GraphNode[] = [{ ...plainNode('me', me, 'You'), href: '/agents', isActive: true }];
  const edges: GraphEdge[] = [];
  const add = (node: GraphNode, from: string, isPending = false): void => {
    const isKnown = nodes.some(({ id }) => id === node.id);
    if (!isKnown && countOf(node.kind, nodes) >= maxPerKind) return;
    if (!isKnown) nodes.push(node);
    edges.push({ from, to: node.id, isPending });
  };
  addSubusers(view, me, add);
  addAgents(view, me, add, nameOf);
  addFriends(view, me, add);
  return { nodes, edges: edges.filter(({ from }) => nodes.some(({ id }) => id === from)) };
}

/** Returns the display name of an agent. */
type NameOf = (agentId: string) => string;
type Add = (node: GraphNode, from: string, isPending?: boolean) => void;

function plainNode(kind: NodeKind, id: string, label: string): GraphNode {
  return { id, kind, label, href: '', isActive: false };
}

/** Counts the circles of a kind; 0 for the circles that stand for the rest of a kind, which are not limited. */
function countOf(kind: NodeKind, nodes: readonly GraphNode[]): number {
  return kind === 'more' ? 0 : nodes.filter((node) => node.kind === kind).length;
}

function addSubusers({ subusers }: Topology, me: string, add: Add): void {
  const all = subusers?.subusers ?? [];
  for (const { subuserId, name, gatewayLifecycle } of all.slice(0, maxPerKind)) {
    const isActive = gatewayLifecycle === AgentLifecycle.ACTIVE;
    add({ ...plainNode('subuser', subuserId, name), href: `/subusers/${subuserId}`, isActive }, me);
  }
  addRest('subusers', all.length, '/subusers', me, add);
}

function addAgents({ agents }: Topology, me: string, add: Add, nameOf: NameOf): void {
  // A gateway and its subuser share one circle.
  const all = (agents?.agents ?? []).filter(({ kind }) => kind !== DescriptorKind.SUBUSER);
  const activeFirst = [...all].sort(
    (one, other) => Number(isActive(other)) - Number(isActive(one)),
  );
  for (const agent of activeFirst.slice(0, maxPerKind))
    add(
      {
        ...plainNode('agent', agent.id, nameOf(agent.id)),
        href: `/agents/${agent.id}`,
        isActive: isActive(agent),
      },
      agent.userId === '' ? me : agent.userId,
    );
  addRest('agents', all.length, '/agents', me, add);
}

function isActive({ lifecycle }: { readonly lifecycle: AgentLifecycle }): boolean {
  return lifecycle === AgentLifecycle.ACTIVE;
}

function addFriends({ friends }: Topology, me: string, add: Add): void {
  const all = friends?.friends ?? [];
  for (const { nametag, sharesIn, sharesOut } of all.slice(0, maxPerKind)) {
    const id = friendId(nametag);
    const href = `/friends/${encodeURIComponent(nametag)}`;
    add({ ...plainNode('friend', id, nametag), href }, me);
    for (const { share } of sharesIn)
      if (share)
        add(
          {
            ...plainNode('shared', share.subuserId, share.subuserName),
            href: `${href}/${encodeURIComponent(share.subuserNametag)}`,
          },
          id,
          isPending(share),
        );
    for (const { share } of sharesOut)
      if (share)
        add(
          {
            ...plainNode('subuser', share.subuserId, share.subuserName),
            href: `/subusers/${share.subuserId}`,
          },
          id,
          isPending(share),
        );
  }
  addRest('friends', all.length, '/friends', me, add);
  const shared = new Set(
    all.flatMap(({ sharesIn }) => sharesIn.map(({ share }) => share?.subuserId)),
  );
  addRest('shared subusers', shared.size, '/friends', me, add);
}

function isPending({ status }: { readonly status: ShareStatus }): boolean {
  return status === ShareStatus.PENDING;
}

function addRest(nouns: string, count: number, href: string, me: string, add: Add): void {
  const restCount = count - maxPerKind;
  if (restCount > 0)
    add(
      {
        ...plainNode('more', `more ${nouns}`, `${restCount.toLocaleString()} more ${nouns}`),
        href,
      },
      me,
    );
}
