import { useFixture } from '@daycare/testing/jest';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../agents/domain/agent';
import { callAs, TestMemory } from '../../test-support/test-memory';
import type { ToolRegistry } from '../../tools/registry/tool-registry';

const test = useFixture(() => TestMemory.open());
let tools: ToolRegistry;
let agent: Agent;
beforeEach(() => {
  ({ agent, tools } = test.startFresh());
});

const call = (name: string, args: object) => callAs(tools, agent, name, args);
const write = (args: object) => call('memory_write', { content: 'Text.', ...args });
const search = async (query: string): Promise<string[]> =>
  (await call('memory_search', { query })).nodes.map(({ nodeId }: { nodeId: string }) => nodeId);
const anHour = 60 * 60_000;

describe('searching memory', () => {
  it('returns the best match first, with excerpts, parents and links, and then nodes linked to matches', async () => {
    await write({ nodeId: 'people', title: 'People' });
    await write({
      nodeId: 'anna',
      title: 'Anna',
      content: 'Sister. Likes [[scarf]].',
      parents: ['people'],
    });
    await write({ nodeId: 'scarf', title: 'Wool thing', content: 'Blue, from the market.' });
    await write({ nodeId: 'trip', title: 'Trip', content: 'With Anna and Ben to the sea.' });
    const { summary, count, nodes } = await call('memory_search', { query: 'anna' });
    expect([summary, count]).toEqual(['3 nodes, best first', 3]);
    expect(nodes).toEqual([
      {
        nodeId: 'anna',
        title: 'Anna',
        description: '',
        excerpt: 'Sister. Likes [[scarf]].',
        parents: [{ nodeId: 'people', title: 'People' }],
        links: [{ nodeId: 'scarf', title: 'Wool thing' }],
      },
      expect.objectContaining({ nodeId: 'trip', excerpt: 'With Anna and Ben to the sea.' }),
      expect.objectContaining({
        nodeId: 'scarf',
        foundBy: 'link',
        backlinks: [{ nodeId: 'anna', title: 'Anna' }],
      }),
    ]);
    expect(await call('memory_search', { query: 'anna', limit: 1 })).toMatchObject({
      summary: 'The best 1 of 3 nodes',
      count: 3,
      nodes: [{ nodeId: 'anna' }],
    });
  });

  it('results leave out neighbours that do not fit, and contain the number of those left out for each node', async () => {
    const long = '🦊'.repeat(200);
    const links = Array.from({ length: 60 }, (_, index) => `[[n${index}]]`).join(' ');
    const node = `---\ntitle: ${long}\ndescription: tea ${long}${long}\n---\n${links}`;
    for (let index = 0; index < 60; index++) await test.put(agent, `n${index}.md`, node);
    const { nodes, count } = await call('memory_search', { query: 'tea', limit: 20 });
    expect(count).toBe(60);
    expect(nodes.length).toBeGreaterThan(2);
    expect(nodes[0].leftOut.links).toBeGreaterThan(50);
    expect((await call('memory_read', { nodeId: 'n0' })).leftOut.backlinks).toBeGreaterThan(40);
  });

  it('unchanged files are not read again', async () => {
    for (const nodeId of ['a', 'b']) await write({ nodeId, title: 'Tea' });
    test.now = new Date(Date.now() + anHour);
    await search('tea');
    test.reads.length = 0;
    expect(await search('tea')).toEqual(['a', 'b']);
    expect(test.reads).toEqual([]);
  });

  it('reflects what other replicas and people have written, changed and deleted since the last search', async () => {
    await write({ nodeId: 'a', title: 'Tea' });
    await write({ nodeId: 'b', title: 'Tea' });
    test.now = new Date(Date.now() + anHour);
    expect(await search('tea')).toEqual(['a', 'b']);
    const elsewhere = test.replica();
    const pot = { nodeId: 'a', title: 'Pot', content: 'Text.' };
    await callAs(elsewhere, agent, 'memory_write', pot);
    await test.put(agent, 'c.md', 'tea');
    await unlink(join(test.usersDir, agent.userId, 'memory', 'graph', 'b.md'));
    expect(await search('tea')).toEqual(['c']);
    expect(await search('pot')).toEqual(['a']);
    expect((await call('memory_list', {})).count).toBe(2);
  });

  it('detects a recent change that leaves a file’s size and modification time the same', async () => {
    const at = new Date();
    await test.put(agent, 'a.md', 'green', at);
    expect(await search('green')).toEqual(['a']);
    await test.put(agent, 'a.md', 'black', at);
    expect(await search('green')).toEqual([]);
    expect(await search('black')).toEqual(['a']);
  });

  it('finds nodes even after a memory_read of a node that does not exist', async () => {
    await write({ nodeId: 'a', title: 'Tea' });
    await expect(call('memory_read', { nodeId: createId() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await search('tea')).toEqual(['a']);
  });
});
