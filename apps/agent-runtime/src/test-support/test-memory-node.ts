import { linksOf, type MemoryNode } from '../domain/memory-node';

const atFirst = new Date('2026-11-15T10:00:00Z');

/** A node that is stored nowhere. */
export function testNode(id: string, overrides: Partial<MemoryNode> = {}): MemoryNode {
  const { text = '' } = overrides;
  return {
    id,
    title: id,
    description: '',
    parents: [],
    createdAt: atFirst,
    updatedAt: atFirst,
    text,
    links: linksOf(text),
    ...overrides,
  };
}
