import type { MemoryGraph } from './memory-graph';
import type { MemoryHit } from './memory-search';
import type { MemoryNode } from './memory-node';

/** A search result. */
export interface RankedNode {
  readonly node: MemoryNode;
  readonly score: number;
  /** The matched words; empty for a node that is only linked to a match. */
  readonly words: readonly string[];
}

/**
 * The share of a match's score that a node gains by linking to the match or being linked from it. Small enough that a
 * word in a node's own text counts for more than a link to a node with that word in its title.
 */
const linkedShare = 0.15;
// Scores are rounded, because sums computed in a different order may differ slightly.
const precision = 1e6;

/**
 * Returns the matching nodes and those one link away, best first. A node gains only from its best neighbour, so that
 * having many neighbours does not raise its score.
 */
export function rankMemory(graph: MemoryGraph, hits: readonly MemoryHit[]): readonly RankedNode[] {
  const hitsById = new Map(hits.map((hit) => [hit.id, hit]));
  const linkedScores = new Map<string, number>();
  for (const { id, score } of hits)
    for (const neighbour of neighboursOf(graph, id))
      linkedScores.set(
        neighbour.id,
        Math.max(linkedScores.get(neighbour.id) ?? 0, score * linkedShare),
      );
  return [...new Set([...hitsById.keys(), ...linkedScores.keys()])]
    .flatMap((id) => graph.find(id) ?? [])
    .map((node) => ({
      node,
      score: round((hitsById.get(node.id)?.score ?? 0) + (linkedScores.get(node.id) ?? 0)),
      words: hitsById.get(node.id)?.words ?? [],
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
