import { describe, expect, it } from '@jest/globals';
import { testNode } from '../../test-support/test-memory-node';
import { changeMemory, checkMemoryNodeSpec, checkMemorySize } from './change-memory';
import { MemoryGraph } from './memory-graph';

const now = new Date('2026-11-16T10:00:00Z');
const graph = new MemoryGraph([
  testNode('drinks'),
  testNode('tea', { parents: ['drinks'], description: 'hot' }),
  testNode('green', { parents: ['tea'] }),
]);
const spec = { title: ' Green\u2003 tea ', content: ' No milk.\n' };
const change = (id: string, parents?: readonly string[]) =>
  changeMemory(graph, { id, before: graph.find(id) }, { ...spec, parents }, now);

describe('changeMemory', () => {
  it('writing a node whose id does not exist yet creates it', () => {
    expect(change('new', ['tea', 'root', 'tea'])).toEqual({
      title: 'Green tea',
      description: '',
      parents: ['tea', 'root'],
      createdAt: now,
      updatedAt: now,
      text: 'No milk.',
    });
  });

  it('fields omitted when an existing node is written keep their values', () => {
    const { createdAt } = graph.find('tea')!;
    const unchanged = { createdAt, updatedAt: now, description: 'hot', parents: ['drinks'] };
    expect(change('tea')).toMatchObject(unchanged);
    expect(change('tea', [])).toMatchObject({ ...unchanged, parents: [] });
  });

  it.each([
    ['tea', ['nowhere'], 'parents must be existing nodes; nowhere does not exist'],
    ['tea', ['drinks', 'tea'], 'parents must not name the node itself'],
    ['tea', ['green'], 'parents must not form a cycle, but green is below tea'],
    ['drinks', ['green'], 'parents must not form a cycle, but green is below drinks'],
    ['new', ['new'], 'parents must not name the node itself'],
  ])('refuses to place the node %s below %j: %s', (id, parents, message) => {
    expect(() => change(id, parents)).toThrow(message);
  });

  it('a node can be moved below its grandparent', () => {
    expect(change('green', ['drinks']).parents).toEqual(['drinks']);
  });

  it('a new node beyond the limit is refused, but an existing one can still be written', () => {
    const full = new MemoryGraph(
      Array.from({ length: 2_000 }, (_, index) => testNode(`n${index}`)),
    );
    const write = (id: string) => () =>
      changeMemory(full, { id, before: full.find(id) }, spec, now);
    expect(write('new')).toThrow('A memory can hold at most 2000 nodes');
    expect(write('n7')).not.toThrow();
  });

  it('a node is refused if its file, or all files together, would be too large', () => {
    expect(() => checkMemorySize(65_536, 8 * 1_048_576 - 65_536)).not.toThrow();
    expect(() => checkMemorySize(65_537, 0)).toThrow('content must fit into 65536 bytes');
    expect(() => checkMemorySize(2, 8 * 1_048_576 - 1)).toThrow(
      'A memory can hold at most 8388608 bytes',
    );
  });
});

describe('checkMemoryNodeSpec', () => {
  const valid = {
    title: 'x'.repeat(200),
    description: 'x'.repeat(500),
    content: 'é'.repeat(32_768),
  };
  const parents = Array.from({ length: 16 }, (_, index) => `p${index}`);

  it('a spec is accepted when every field is exactly at its limit', () => {
    expect(() => checkMemoryNodeSpec({ ...valid, parents }, 'a')).not.toThrow();
  });

  it.each([
    ['title must be 1 to 200 characters, got 0', { title: '' }],
    ['title must be 1 to 200 characters, got 201', { title: 'x'.repeat(201) }],
    ['title must be well-formed Unicode without control characters', { title: 'a\nb' }],
    ['description must be at most 500 characters, got 501', { description: 'x'.repeat(501) }],
    ['content must be 1 to 32768 characters, got 0', { content: ' ' }],
    ['content must be 1 to 32768 characters, got 32769', { content: 'x'.repeat(32_769) }],
    ['content must be well-formed Unicode without control characters', { content: 'a\0' }],
    ['parents must have at most 16 elements, got 17', { parents: [...parents, 'p'] }],
    ['parents must be 1 to 64 characters of a-z', { parents: ['../x'] }],
  ])('rejects an invalid node spec: %s', (message, overrides) => {
    expect(() => checkMemoryNodeSpec({ ...valid, ...overrides })).toThrow(message);
  });
});
