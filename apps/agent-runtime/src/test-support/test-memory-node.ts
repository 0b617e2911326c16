import { linksOf, type MemoryNode } from '../memory/domain/memory-node';

const createdAt = new Date('2026-11-15T10:00:00Z');

/** A node that is not stored. */
export function testNode(id: string, overrides: Partial<MemoryNode> = {}): MemoryNode {
  const { text = '' } = overrides;
  return {
    id,
    title: id,
    description: '',
    parents: [],
    createdAt,
    updatedAt: createdAt,
    text,
    links: linksOf(text),
    ...overrides,
  };
}
