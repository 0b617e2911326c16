import type { MemoryNode } from '../../memory';
import { truncateForJson } from '../../shared/text/truncate-for-json';
import { fitCharacters } from '../../shared/text/fit-characters';

const relations = ['parents', 'children', 'links', 'backlinks'] as const;
type Relation = (typeof relations)[number];

export interface NodeRef {
  readonly nodeId: string;
  readonly title: string;
}

/** The neighbours of a memory node that fit into a tool result; empty relations are omitted. */
export interface Neighbours extends Partial<Readonly<Record<Relation, readonly NodeRef[]>>> {
  /** How many neighbours did not fit, by relation. */
  readonly leftOut?: Partial<Readonly<Record<Relation, number>>>;
}

// How many neighbours per relation are considered: more than can ever fit, but few enough that a node with thousands
// of neighbours costs little.
const maxCandidates = 50;
const maxTitleLength = 100;

/** Lists neighbours by relation, each relation in at most `maxCharacters` of JSON. */
export function neighboursOf(
  view: Partial<Readonly<Record<Relation, readonly MemoryNode[]>>>,
  maxCharacters: number,
): Neighbours {
  const shown: Partial<Record<Relation, readonly NodeRef[]>> = {};
  const leftOut: Partial<Record<Relation, number>> = {};
  for (const relation of relations) {
    const nodes = view[relation] ?? [];
    const fitting = fitCharacters(nodes.slice(0, maxCandidates).map(refOf), maxCharacters);
    if (fitting.length > 0) shown[relation] = fitting;
    if (fitting.length < nodes.length) leftOut[relation] = nodes.length - fitting.length;
  }
  return { ...shown, ...(Object.keys(leftOut).length > 0 ? { leftOut } : {}) };
}

function refOf({ id, title }: MemoryNode): NodeRef {
  return { nodeId: id, title: truncateForJson(title, maxTitleLength) };
}
