import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { testNode } from '../../test-support/test-memory-node';
import { MemoryGraph } from './memory-graph';
import type { MemoryNode } from './memory-node';
import { MemorySearch } from './memory-search';
import { rankMemory } from './rank-memory';

function search(nodes: readonly MemoryNode[], query: string) {
  const memorySearch = new MemorySearch(query);
  nodes.forEach((node) => memorySearch.add(node));
  return rankMemory(new MemoryGraph(nodes), memorySearch.hits());
}
const foundIds = (nodes: readonly MemoryNode[], query: string): string[] =>
  search(nodes, query).map(({ node }) => node.id);

describe('ranking memory nodes', () => {
  it('a word in the title ranks above one in the description, which ranks above one in the text', () => {
    const nodes = [
      testNode('a', { title: 'Shopping', description: 'for the week', text: 'Bring tea' }),
      testNode('b', { title: 'Shopping', description: 'tea and more', text: 'for the week' }),
      testNode('c', { title: 'Tea', description: 'for the week', text: 'Bring some' }),
      testNode('d', { title: 'Other' }),
    ];
    expect(foundIds(nodes, 'tea')).toEqual(['c', 'b', 'a']);
  });

  it('rare words weigh more than common ones', () => {
    const nodes = [
      testNode('a', { text: 'meeting notes' }),
      testNode('b', { text: 'meeting plan' }),
      testNode('c', { text: 'meeting room' }),
      testNode('d', { text: 'budget plan' }),
    ];
    expect(foundIds(nodes, 'meeting budget')[0]).toBe('d');
  });

  it.each(['TEAPOT', 'teap', 'teepot', 'Teápot', 'our teapot please'])(
    'finds the node about a teapot with the query %p',
    (query) => {
      const nodes = [testNode('a', { text: 'A blue teapot.' }), testNode('b', { text: 'Cups' })];
      expect(foundIds(nodes, query)).toEqual(['a']);
    },
  );

  it('includes a node that only a match links to, ranked below direct matches, but no node two links away', () => {
    const nodes = [
      testNode('anna', { title: 'Anna', text: 'Her present: [[present]]' }),
      testNode('present', { title: 'Gift', text: 'A scarf' }),
      testNode('party', { title: 'Celebration', text: 'Ask [[anna]]' }),
      testNode('far', { title: 'Far away', text: '[[present]]' }),
    ];
    const ranked = search(nodes, 'anna');
    expect(ranked.map(({ node, words }) => [node.id, words.length > 0])).toEqual([
      ['anna', true],
      ['party', true],
      ['present', false],
    ]);
  });

  it('a node linked to another match ranks above an equal one without that link', () => {
    const nodes = [
      testNode('a', { title: 'x', text: 'green tea' }),
      testNode('b', { title: 'x', text: 'green tea' }),
      testNode('c', { title: 'Tea', text: '[[b]]' }),
    ];
    expect(foundIds(nodes, 'tea')).toEqual(['c', 'b', 'a']);
  });

  it('a node does not rank higher for having many links', () => {
    const leaves = Array.from({ length: 30 }, (_, index) =>
      testNode(`leaf-${index}`, { title: 'Tea' }),
    );
    const links = leaves.map(({ id }) => `[[${id}]]`).join(' ');
    const nodes = [...leaves, testNode('hub', { title: 'All', text: links })];
    expect(foundIds(nodes, 'tea').at(-1)).toBe('hub');
  });

  it('sorts nodes with equal scores by id', () => {
    const nodes = ['c', 'a', 'b'].map((id) => testNode(id, { title: 'Tea' }));
    expect(foundIds(nodes, 'tea')).toEqual(['a', 'b', 'c']);
  });

  it.each(['', '   ', '!?', 'constructor', '__proto__', 'nothing', 'x'.repeat(400)])(
    'finds nothing with the query %p',
    (query) => {
      expect(foundIds([testNode('a', { text: 'tea' })], query)).toEqual([]);
    },
  );

  it('finds words and ids that are also names of object properties', () => {
    const nodes = [testNode('constructor', { text: '__proto__ toString' })];
    expect(foundIds(nodes, 'tostring')).toEqual(['constructor']);
    expect(foundIds(nodes, 'constructor')).toEqual(['constructor']);
  });

  it('the result does not depend on the order in which nodes are added', () => {
    const word = fc.constantFrom('tea', 'milk', 'sugar', 'teapot', 'cup', '[[n1]]', '[[n2]]');
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
    const nodes = fc
      .array(text, { minLength: 2, maxLength: 8 })
      .map((texts) => texts.map((each, index) => testNode(`n${index}`, { text: each })));
    const orderings = nodes.chain((all) => fc.tuple(fc.constant(all), shuffled(all)));
    fc.assert(
      fc.property(orderings, ([one, other]) => {
        expect(foundIds(other, 'tea sugar')).toEqual(foundIds(one, 'tea sugar'));
      }),
    );
  });

  it('finds exact matches even if the nodes contain more similar words than a search may index', () => {
    const similar = Array.from({ length: 25_000 }, (_, index) => `teapot${index}`);
    const texts = Array.from({ length: 5 }, (_, part) =>
      similar.slice(part * 5_000, (part + 1) * 5_000),
    );
    const nodes = texts.map((words, index) => testNode(`n${index}`, { text: words.join(' ') }));
    const ranked = foundIds([...nodes, testNode('z', { text: 'my teapot' })], 'teapot');
    expect(ranked.sort()).toEqual(['n0', 'n1', 'n2', 'n3', 'z']);
  });
});

const shuffled = <T>(all: readonly T[]) =>
  fc.shuffledSubarray([...all], { minLength: all.length, maxLength: all.length });
