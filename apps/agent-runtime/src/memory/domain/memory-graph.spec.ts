import { describe, expect, it } from '@jest/globals';
import { testNode } from '../../test-support/test-memory-node';
import { MemoryGraph } from './memory-graph';

const ids = (nodes: readonly { readonly id: string }[]): string[] => nodes.map(({ id }) => id);

const drinks = testNode('drinks');
const tea = testNode('tea', { parents: ['drinks', 'gone'], text: '[[milk]] [[tea]] [[gone]]' });
const milk = testNode('milk', { parents: ['drinks', 'root'], text: '[[tea]]' });
const lost = testNode('lost', { parents: ['gone'] });
const graph = new MemoryGraph([tea, milk, lost, drinks]);

describe('a memory graph', () => {
  it('lists at the top level the nodes that have no existing parent or have the root as a parent', () => {
    expect(ids(graph.childrenOf('root'))).toEqual(['drinks', 'lost', 'milk']);
  });

  it('lists nodes below their parents, sorted by title and then by id', () => {
    expect(ids(graph.childrenOf('drinks'))).toEqual(['milk', 'tea']);
    const titled = [
      testNode('a', { title: 'Z' }),
      testNode('c', { title: 'A' }),
      testNode('b', { title: 'A' }),
    ];
    expect(ids(new MemoryGraph(titled).childrenOf('root'))).toEqual(['b', 'c', 'a']);
  });

  it('returns a node’s links, backlinks and parents without missing nodes and without links to itself', () => {
    expect(ids(graph.linksOf(tea))).toEqual(['milk']);
    expect(ids(graph.backlinksOf('tea'))).toEqual(['milk']);
    expect(ids(graph.backlinksOf('gone'))).toEqual(['tea']);
    expect(ids(graph.parentsOf(tea))).toEqual(['drinks']);
  });

  it('reports whether a node is below another, even if their parents form a cycle', () => {
    const cycle = new MemoryGraph([
      testNode('a', { parents: ['b'] }),
      testNode('b', { parents: ['a'] }),
      testNode('c', { parents: ['a'] }),
    ]);
    expect(cycle.isWithin('c', 'b')).toBe(true);
    expect(cycle.isWithin('a', 'c')).toBe(false);
    expect(graph.isWithin('tea', 'tea')).toBe(true);
    expect(graph.isWithin('nothing', 'tea')).toBe(false);
  });
});
