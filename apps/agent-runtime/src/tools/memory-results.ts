import { cutText } from '../domain/cut-text';
import { fitCharacters } from '../domain/fit-characters';
import type { MemoryNode } from '../domain/memory-node';

const relations = ['parents', 'children', 'links', 'backlinks'] as const;
type Relation = (typeof relations)[number];

export interface NodeRef {
  readonly nodeId: string;
  readonly title: string;
}

/** The nodes around one, as far as so many characters hold them. */
export interface Surroundings extends Partial<Readonly<Record<Relation, readonly NodeRef[]>>> {
  /** How many of each there is no room for. */
  readonly leftOut?: Partial<Readonly<Record<Relation, number>>>;
}

// More would hardly fit.
const mostConsidered = 50;

/** What a result says of the nodes around a node; what there is none of is not mentioned. */
export function surroundingsOf(
  view: Partial<Readonly<Record<Relation, readonly MemoryNode[]>>>,
  mostCharactersEach: number,
): Surroundings {
  const shown: Partial<Record<Relation, readonly NodeRef[]>> = {};
  const leftOut: Partial<Record<Relation, number>> = {};
  for (const relation of relations) {
    const nodes = view[relation] ?? [];
    const fitting = fitCharacters(nodes.slice(0, mostConsidered).map(refOf), mostCharactersEach);
    if (fitting.length > 0) shown[relation] = fitting;
    if (fitting.length < nodes.length) leftOut[relation] = nodes.length - fitting.length;
  }
  return { ...shown, ...(Object.keys(leftOut).length > 0 ? { leftOut } : {}) };
}

const longestTitle = 100;

const refOf = ({ id, title }: MemoryNode): NodeRef => ({
  nodeId: id,
  title: cutText(title, longestTitle),
});
