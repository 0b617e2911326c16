import { describe, expect, it } from '@jest/globals';
import { treeChanges } from './tree-changes';
import type { Branch } from './tree';

const tree = (agents: readonly string[], members: readonly string[] = []): Branch => ({
  text: 'swiftfox42',
  children: [
    { text: `agents (${agents.length})`, children: agents.map((text) => ({ text })) },
    {
      text: 'channels (1)',
      children: [{ text: '#ops', children: members.map((text) => ({ text })) }],
    },
  ],
});

describe('treeChanges', () => {
  it('lists each added and removed line with its section, and ignores the counts of sections', () => {
    expect(treeChanges(tree(['a', 'b']), tree(['b', 'c'], ['@dev']))).toEqual([
      { sign: '-', text: 'agents: a' },
      { sign: '+', text: 'agents: c' },
      { sign: '+', text: 'channels: #ops: @dev' },
    ]);
  });

  it('finds nothing in equal trees', () => {
    expect(treeChanges(tree(['a']), tree(['a']))).toEqual([]);
  });
});
