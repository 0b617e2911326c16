import type { Graph, GraphNode, NodeKind } from './graph-of';
import { Tree, type TreeNode } from '../../ui/tree';
import { Badge } from '../../ui/layout';

const groups: readonly { readonly kind: NodeKind; readonly title: string }[] = [
  { kind: 'agent', title: 'Your agents' },
  { kind: 'subuser', title: 'Your subusers' },
  { kind: 'friend', title: 'Your friends' },
];

/** The map as nested lists. */
export function MapTree({ graph }: { readonly graph: Graph }) {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const childrenOf = (id: string): readonly GraphNode[] =>
    graph.edges.flatMap(({ from, to }) => (from === id ? (byId.get(to) ?? []) : []));
  const me = graph.nodes.find(({ kind }) => kind === 'me');
  const mine = childrenOf(me?.id ?? '');
  const nodes = groups.map(({ kind, title }) => {
    const members = mine.filter((node) => node.kind === kind);
    return {
      id: kind,
      content: title,
      children: members.map((node) => branchOf(node, childrenOf)),
    };
  });
  const rest = mine.filter(({ kind }) => kind === 'more').map((node) => leafOf(node));
  return <Tree label="Everything on the map" nodes={[...nodes, ...rest]} />;
}

function branchOf(node: GraphNode, childrenOf: (id: string) => readonly GraphNode[]): TreeNode {
  return { ...leafOf(node), children: childrenOf(node.id).map((child) => leafOf(child, node.id)) };
}

function leafOf({ id, label, href, isActive, kind }: GraphNode, parent = ''): TreeNode {
  const content = (
    <>
      <a href={href}>{label}</a>{' '}
      {kind === 'shared' && <span class="muted small">shared with you</span>}{' '}
      {isActive && <Badge kind="good">Active</Badge>}
    </>
  );
  return { id: `${parent} ${id}`, content, children: [] };
}
