import { describe, expect, it } from '@jest/globals';
import { Topology } from '@daycare/contracts/topology';
import { mergePages } from './merge-pages';

describe('mergePages', () => {
  it('appends the next page’s entries, and keeps what only the first page contains', () => {
    const first = Topology.fromPartial({
      revision: 'r1',
      agents: { count: 3, agents: [{ id: 'a1' }, { id: 'a2' }] },
      friends: { count: 1, friends: [{ nametag: 'otter7' }] },
    });
    const next = Topology.fromPartial({ agents: { count: 3, agents: [{ id: 'a3' }] } });
    const merged = mergePages(first, next);
    expect(merged.agents?.agents.map(({ id }) => id)).toEqual(['a1', 'a2', 'a3']);
    expect(merged).toMatchObject({ revision: 'r1', friends: { friends: [{ nametag: 'otter7' }] } });
  });
});
