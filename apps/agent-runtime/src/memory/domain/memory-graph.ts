import { rootId, type MemoryNode } from './memory-node';

/**
 * One user's memory nodes and the relations between them. Files may be edited by hand, so parents may be missing or
 * form a cycle; links to nodes that do not exist are omitted.
 */
export class MemoryGraph {
  readonly #nodes: ReadonlyMap<string, MemoryNode>;
  readonly #children: ReadonlyMap<string, readonly MemoryNode[]>;
  readonly #backlinks: ReadonlyMap<string, readonly MemoryNode[]>;

  constructor(nodes: Iterable<MemoryNode>) {
    const sorted = [...nodes].sort(byTitle);
    this.#nodes = new Map(sorted.map((node) => [node.id, node]));
    this.#children = groupBy(sorted, (node) => this.#listedParentsOf(node));
    this.#backlinks = groupBy(sorted, ({ id, links }) => links.filter((to) => to !== id));
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Returns all nodes, sorted by title. */
  nodes(): Iterable<MemoryNode> {
    return this.#nodes.values();
  }

  find(id: string): MemoryNode | undefined {
    return this.#nodes.get(id);
  }

  /** Returns the children of a node or of the root, sorted by title. */
  childrenOf(id: string): readonly MemoryNode[] {
    return this.#children.get(id) ?? [];
  }

  parentsOf({ parents }: Pick<MemoryNode, 'parents'>): readonly MemoryNode[] {
    return this.#findAll(parents);
  }

  linksOf({ id, links }: Pick<MemoryNode, 'id' | 'links'>): readonly MemoryNode[] {
    return this.#findAll(links).filter((node) => node.id !== id);
  }

  /** Returns the nodes whose text links to this one, sorted by title. */
  backlinksOf(id: string): readonly MemoryNode[] {
    return this.#backlinks.get(id) ?? [];
  }

  /** Reports whether the node `id` is the node `ancestorId` or one of its descendants. */
  isWithin(id: string, ancestorId: string): boolean {
    const seen = new Set([id]);
    for (const reachedId of seen) {
      if (reachedId === ancestorId) return true;
      this.#nodes.get(reachedId)?.parents.forEach((parent) => seen.add(parent));
    }
    return false;
  }

  /**
   * Returns the parents that a node is listed under, or the root if none of them exists, so that every node is
   * reachable.
   */
  #listedParentsOf({ parents }: MemoryNode): readonly string[] {
    const existing = parents.filter((id) => id === rootId || this.#nodes.has(id));
    return existing.length > 0 ? existing : [rootId];
  }

  #findAll(ids: readonly string[]): readonly MemoryNode[] {
    return ids.flatMap((id) => this.#nodes.get(id) ?? []);
  }
}

function byTitle(one: MemoryNode, other: MemoryNode): number {
  return compare(one.title, other.title) || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function groupBy(
  nodes: readonly MemoryNode[],
  keysOf: (node: MemoryNode) => readonly string[],
): ReadonlyMap<string, readonly MemoryNode[]> {
  const groups = new Map<string, MemoryNode[]>();
  for (const node of nodes)
    for (const key of keysOf(node)) {
      const group = groups.get(key);
      if (group) group.push(node);
      else groups.set(key, [node]);
    }
  return groups;
}
