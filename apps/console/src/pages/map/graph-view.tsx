import { useEffect, useState } from 'preact/hooks';
import { navigate } from '../../router/router';
import { lineOf, type Graph, type GraphNode } from './graph-of';
import { layoutGraph, type Position, type Positions } from './layout-graph';
import { labelOffset, mapLabelOf, radii } from './shape-of';

/** Space for the labels beside and below circles. */
const margin = { x: 70, y: 45 };
/** A minimum size, so that a small map is not enlarged. */
const minSize = { width: 340, height: 260 };

interface GraphViewProps {
  readonly graph: Graph;
  /** The keys of the lines that a message has just travelled along. */
  readonly litLines: ReadonlySet<string>;
}

/** The last layout, so that the map immediately looks the same when the person returns to it. */
let lastLayout: { readonly shape: string; readonly positions: Positions } = {
  shape: '',
  positions: new Map(),
};

/** The map as a picture. Screen reader and keyboard users use the equivalent list below it. */
export function GraphView({ graph, litLines }: GraphViewProps) {
  const [positions, setPositions] = useState<Positions>(lastLayout.positions);
  // Labels are part of the shape, because they take space in the layout.
  const nodes = graph.nodes.map((node) => [node.id, mapLabelOf(node)]);
  const shape = JSON.stringify([nodes, graph.edges]);
  useEffect(() => {
    if (shape === lastLayout.shape) return undefined;
    const end = new AbortController();
    void layoutGraph(graph, positions, end.signal).then((next) => {
      if (!next) return;
      lastLayout = { shape, positions: next };
      setPositions(next);
    });
    return () => end.abort();
  }, [shape]);
  const litNodes = new Set(
    graph.edges.flatMap(({ from, to }) => (litLines.has(lineOf(from, to)) ? [from, to] : [])),
  );
  if (positions.size === 0) return <div class="map-picture" aria-hidden="true" />;
  return (
    <svg class="map-picture" viewBox={viewBoxOf(positions)} aria-hidden="true">
      {graph.edges.map(({ from, to, isPending }) => (
        <Edge
          key={lineOf(from, to)}
          from={positions.get(from)}
          to={positions.get(to)}
          isPending={isPending}
          isLit={litLines.has(lineOf(from, to))}
        />
      ))}
      {graph.nodes.map((node) => (
        <Circle
          key={node.id}
          node={node}
          at={positions.get(node.id)}
          isLit={litNodes.has(node.id)}
        />
      ))}
    </svg>
  );
}

function viewBoxOf(positions: Positions): string {
  const all = [...positions.values()];
  const [left, width] = spanOf(
    all.map(({ x }) => x),
    margin.x,
    minSize.width,
  );
  const [top, height] = spanOf(
    all.map(({ y }) => y),
    margin.y,
    minSize.height,
  );
  return [left, top, width, height].map(Math.round).join(' ');
}

/**
 * Returns the start and the size of the range that contains the values and `padding` on both sides. The size is at
 * least `min`.
 */
function spanOf(
  values: readonly number[],
  padding: number,
  min: number,
): readonly [number, number] {
  const [first, last] = [Math.min(...values) - padding, Math.max(...values) + padding];
  const size = Math.max(min, last - first);
  return [(first + last - size) / 2, size];
}

interface EdgeProps {
  readonly from: Position | undefined;
  readonly to: Position | undefined;
  readonly isPending: boolean;
  readonly isLit: boolean;
}

function Edge({ from, to, isPending, isLit }: EdgeProps) {
  if (!from || !to) return null;
  const names = ['map-edge', isPending && 'map-edge-pending', isLit && 'map-edge-lit'];
  return (
    <line class={names.filter(Boolean).join(' ')} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
  );
}

interface CircleProps {
  readonly node: GraphNode;
  readonly at: Position | undefined;
  readonly isLit: boolean;
}

function Circle({ node, at, isLit }: CircleProps) {
  const { kind, label, href, isActive } = node;
  if (!at) return null;
  const radius = radii[kind];
  const names = ['map-node', `map-${kind}`, isActive && 'map-active', isLit && 'map-lit'];
  return (
    <g
      class={names.filter(Boolean).join(' ')}
      transform={`translate(${at.x} ${at.y})`}
      onClick={() => href !== '' && navigate(href)}
    >
      <title>{label}</title>
      <circle r={radius} />
      <text y={radius + labelOffset} text-anchor="middle">
        {mapLabelOf(node)}
      </text>
    </g>
  );
}
