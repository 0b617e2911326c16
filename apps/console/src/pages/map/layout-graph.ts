import {
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import type { Graph, GraphNode } from './graph-of';
import { separateBoxes } from './separate-boxes';
import { shapeOf } from './shape-of';

export interface Position {
  readonly x: number;
  readonly y: number;
}

export type Positions = ReadonlyMap<string, Position>;

interface Body extends SimulationNodeDatum {
  readonly id: string;
  x: number;
  y: number;
  readonly halfWidth: number;
  readonly above: number;
  readonly below: number;
}

/** Small maps get more ticks to settle. In a large map the difference is not visible, and each tick is slow. */
const ticksOf = (count: number): number => (count < 80 ? 240 : 80);
/** The maximum number of rounds after the last tick to separate overlapping labels; most maps need only a few. */
const maxSeparations = 400;
/**
 * Every `everyRounds` rounds, everything also moves outwards, because circles inside a dense group cannot move apart.
 */
const spreading = { everyRounds: 8, factor: 1.05 };
/** Limits each slice of work, so that the page stays responsive while a large map is laid out. */
const sliceMs = 8;

/**
 * Computes the positions of the circles. Circles that had a position start there, so that the map changes as little as
 * possible. Works in slices; resolves to undefined if the signal is aborted.
 */
export async function layoutGraph(
  { nodes, edges }: Graph,
  previous: Positions,
  signal: AbortSignal,
): Promise<Positions | undefined> {
  const bodies = nodes.map((node, index) => bodyOf(node, index, previous));
  const links: SimulationLinkDatum<Body>[] = edges.map(({ from, to }) => ({
    source: from,
    target: to,
  }));
  const ticks = ticksOf(bodies.length);
  const simulation = forceSimulation(bodies)
    .alphaDecay(1 - Math.pow(0.001, 1 / ticks))
    .force(
      'link',
      forceLink<Body, SimulationLinkDatum<Body>>(links)
        .id(({ id }) => id)
        .distance(105)
        .strength(0.5),
    )
    .force('charge', forceManyBody().strength(-320).distanceMax(600))
    .force('boxes', () => separateBoxes(bodies, 0.7))
    .force('x', forceX(0).strength(0.05))
    .force('y', forceY(0).strength(0.08))
    .alpha(previous.size > 0 ? 0.4 : 1)
    .stop();
  for (let tick = 0, until = performance.now() + sliceMs; tick < ticks + maxSeparations; tick++) {
    if (tick < ticks) simulation.tick();
    else if (!separateBoxes(bodies)) break;
    else if ((tick - ticks) % spreading.everyRounds === spreading.everyRounds - 1) spread(bodies);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return undefined;
    until = performance.now() + sliceMs;
  }
  return new Map(bodies.map(({ id, x, y }) => [id, { x, y }]));
}

function spread(bodies: readonly Body[]): void {
  for (const body of bodies) {
    body.x *= spreading.factor;
    body.y *= spreading.factor;
  }
}

/**
 * Places the person in the centre. New circles start on a spiral around the centre, which is the same every time.
 */
function bodyOf(node: GraphNode, index: number, previous: Positions): Body {
  const { id, kind } = node;
  const shape = shapeOf(node);
  if (kind === 'me') return { ...shape, id, x: 0, y: 0, fx: 0, fy: 0 };
  const angle = index * 2.4;
  const radius = 30 * Math.sqrt(index + 1);
  const start = { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  return { ...shape, id, ...(previous.get(id) ?? start) };
}
