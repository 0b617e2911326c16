import { describe, expect, it } from '@jest/globals';
import type { Graph, NodeKind } from './graph-of';
import { layoutGraph, type Positions } from './layout-graph';
import { shapeOf } from './shape-of';

/** Creates a map of the person with `count` friends, agents and subusers in total, all with long names. */
function starOf(count: number): Graph {
  const kinds: readonly NodeKind[] = ['friend', 'agent', 'subuser'];
  const others = Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    kind: kinds[index % kinds.length] ?? 'agent',
    label: `a name of letters ${index}`,
  }));
  const nodes = [{ id: 'me', kind: 'me' as const, label: 'You' }, ...others];
  return {
    nodes: nodes.map((node) => ({ ...node, href: '', isActive: false })),
    edges: others.map(({ id }) => ({ from: 'me', to: id, isPending: false })),
  };
}

/** Returns the pairs whose circles or labels overlap. */
function findOverlaps({ nodes }: Graph, positions: Positions): readonly string[] {
  const boxes = nodes.map((node) => {
    const { x, y } = positions.get(node.id) ?? { x: NaN, y: NaN };
    const { halfWidth, above, below } = shapeOf(node);
    return {
      ...node,
      left: x - halfWidth,
      right: x + halfWidth,
      top: y - above,
      bottom: y + below,
    };
  });
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter(
        (other) =>
          !(one.right <= other.left + 1 || other.right <= one.left + 1) &&
          !(one.bottom <= other.top + 1 || other.bottom <= one.top + 1),
      )
      .map((other) => `${one.id} and ${other.id}`),
  );
}

describe('the layout of the map', () => {
  it.each([1, 12, 60, 180])(
    'on a map with %d circles around the person, neither circles nor their labels overlap',
    async (count) => {
      const graph = starOf(count);
      const positions = await layoutGraph(graph, new Map(), new AbortController().signal);
      expect(positions?.size).toBe(count + 1);
      expect(findOverlaps(graph, positions ?? new Map())).toEqual([]);
    },
  );

  it('keeps the person in the centre', async () => {
    const positions = await layoutGraph(starOf(12), new Map(), new AbortController().signal);
    expect(positions?.get('me')).toEqual({ x: 0, y: 0 });
  });
});
