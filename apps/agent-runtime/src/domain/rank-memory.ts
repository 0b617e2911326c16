import type { MemoryGraph } from './memory-graph';
import type { MemoryHit } from './memory-search';
import type { MemoryNode } from './memory-node';

/** A node that answers a search. */
export interface RankedNode {
  readonly node: MemoryNode;
  readonly score: number;
  /** What of it was found; nothing when it is only linked with a node that was. */
  readonly words: readonly string[];
}

/**
 * How much of its score a node gives to those it is linked with, in either direction: so little that a
 * word in a text counts more than a link with a node that has it in its title.
 */
const linkedShare = 0.15;
// Sums that were made in another order may differ by less.
const precision = 1e6;

/**
 * The nodes that were found and those one link away from them, best first. A node is helped by the best
 * of its neighbours only, so that having many does not make it good.
 */
export function rankMemory(graph: MemoryGraph, hits: readonly MemoryHit[]): readonly RankedNode[] {
  const own = new Map(hits.map((hit) => [hit.id, hit]));
  const lent = new Map<string, number>();
  for (const { id, score } of hits)
    for (const neighbour of neighboursOf(graph, id))
      lent.set(neighbour.id, Math.max(lent.get(neighbour.id) ?? 0, score * linkedShare));
  return [...new Set([...own.keys(), ...lent.keys()])]
    .flatMap((id) => graph.find(id) ?? [])
    .map((node) => ({
      node,
      score: round((own.get(node.id)?.score ?? 0) + (lent.get(node.id) ?? 0)),
      words: own.get(node.id)?.words ?? [],
    }))
    .sort(bestFirst);
}

function neighboursOf(graph: MemoryGraph, id: string): readonly MemoryNode[] {
  const node = graph.find(id);
  return node ? [...graph.linksOf(node), ...graph.backlinksOf(id)] : [];
}

const round = (score: number): number => Math.round(score * precision) / precision;

function bestFirst(one: RankedNode, other: RankedNode): number {
  return other.score - one.score || (one.node.id < other.node.id ? -1 : 1);
}
