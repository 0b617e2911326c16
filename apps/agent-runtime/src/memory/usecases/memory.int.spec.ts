import { useFixture } from '@daycare/testing/jest';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '../../agents/domain/agent';
import { callAs, TestMemory } from '../../test-support/test-memory';
import type { ToolRegistry } from '../../tools/registry/tool-registry';

const test = useFixture(() => TestMemory.open());
let tools: ToolRegistry;
let agent: Agent;
beforeEach(() => {
  ({ agent, tools } = test.startFresh());
});

const call = (name: string, args: object, who = agent) => callAs(tools, who, name, args);
const write = (args: object, who = agent) =>
  call('memory_write', { content: 'Text.', ...args }, who);
const search = async (query: string): Promise<string[]> =>
  (await call('memory_search', { query })).nodes.map(({ nodeId }: { nodeId: string }) => nodeId);
const pathOf = (nodeId: string): string => join(agent.userId, 'memory', 'graph', `${nodeId}.md`);
const missing = { code: 'NOT_FOUND', message: 'Memory node not found' };
const anHour = 60 * 60_000;

describe('reading and changing memory', () => {
  it("writing a node creates one file in the user's directory and changes nothing else", async () => {
    await write({ nodeId: 'other', title: 'Other' }, test.newAgent());
    const before = await test.files();
    await write({ nodeId: 'tea', title: 'Tea', description: 'hot', content: 'No [[milk]].' });
    const { [pathOf('tea')]: file, ...rest } = await test.files();
    expect(rest).toEqual(before);
    expect(file).toMatch(
      /^---\ntitle: Tea\ndescription: hot\nparents: \[\]\ncreatedAt: .*\n---\n\nNo \[\[milk\]\]\.\n$/s,
    );
  });

  it('agents of other users, even of the user’s own subusers, cannot find out that a node exists', async () => {
    await write({ nodeId: 'tea', title: 'Tea' });
    const others = [test.newAgent(), { ...test.newAgent(), ownerUserId: agent.userId }];
    for (const other of others) {
      await expect(call('memory_read', { nodeId: 'tea' }, other)).rejects.toMatchObject(missing);
      await expect(call('memory_list', { parent: 'tea' }, other)).rejects.toMatchObject(missing);
      expect(await call('memory_list', {}, other)).toEqual({
        summary: 'There are no memories here',
        count: 0,
      });
      expect(await call('memory_search', { query: 'tea' }, other)).toEqual({
        summary: 'No memories match',
        count: 0,
        nodes: [],
      });
      await expect(write({ title: 'x', parents: ['tea'] }, other)).rejects.toThrow(
        'parents must be existing nodes; tea does not exist',
      );
    }
    expect((await call('memory_read', { nodeId: 'tea' }, { ...agent, id: 'agent2' })).title).toBe(
      'Tea',
    );
  });

  it('memory_read returns a node with its parents, children, links and backlinks', async () => {
    await write({ nodeId: 'drinks', title: 'Drinks' });
    await write({ nodeId: 'milk', title: 'Milk', content: 'Not into [[tea]].' });
    await write({ nodeId: 'tea', title: 'Tea', content: 'No [[milk]].', parents: ['drinks'] });
    await write({ nodeId: 'green', title: 'Green', description: 'the best', parents: ['tea'] });
    const milk = { nodeId: 'milk', title: 'Milk' };
    const { createdAt, updatedAt, ...node } = await call('memory_read', { nodeId: 'tea' });
    expect(node).toEqual({
      nodeId: 'tea',
      title: 'Tea',
      description: '',
      text: 'No [[milk]].',
      parents: [{ nodeId: 'drinks', title: 'Drinks' }],
      children: [{ nodeId: 'green', title: 'Green' }],
      links: [milk],
      backlinks: [milk],
    });
    expect([createdAt, updatedAt]).toEqual([test.now.toISOString(), test.now.toISOString()]);
    const top = await call('memory_read', { nodeId: 'root' });
    expect(top.children).toEqual([{ nodeId: 'drinks', title: 'Drinks' }, milk]);
    const list = await call('memory_list', {});
    expect(list).toEqual({ summary: 'drinks "Drinks" (1 below)\nmilk "Milk"', count: 2 });
    expect((await call('memory_list', { parent: 'tea' })).summary).toBe('green "Green": the best');
  });

  it('a retried memory_write creates the node only once and does not undo later changes', async () => {
    const spec = { title: 'Tea', content: 'Green.' };
    const retry = () => callAs(tools, agent, 'memory_write', spec, 'request1');
    const first = await retry();
    expect(await retry()).toEqual(first);
    await write({ nodeId: first.nodeId, title: 'Tea', content: 'Black.' });
    expect(await retry()).toEqual(first);
    expect((await call('memory_read', { nodeId: first.nodeId })).text).toBe('Black.');
    expect((await call('memory_list', {})).count).toBe(1);
  });

  it('replacing a node keeps its creation time and its omitted fields', async () => {
    await write({ nodeId: 'drinks', title: 'Drinks' });
    await write({ nodeId: 'tea', title: 'Tea', description: 'hot', parents: ['drinks'] });
    const before = await call('memory_read', { nodeId: 'tea' });
    test.now = new Date(test.now.getTime() + 1_000);
    const { isNew } = await write({ nodeId: 'tea', title: 'Iced tea', content: 'Cold.' });
    expect(isNew).toBe(false);
    const changes = { title: 'Iced tea', text: 'Cold.', updatedAt: test.now.toISOString() };
    expect(await call('memory_read', { nodeId: 'tea' })).toEqual({ ...before, ...changes });
  });

  it('a deleted node cannot be read, and the nodes below it move to the top level', async () => {
    await write({ nodeId: 'drinks', title: 'Drinks' });
    await write({ nodeId: 'tea', title: 'Tea', content: 'See [[drinks]].', parents: ['drinks'] });
    expect(await call('memory_delete', { nodeId: 'drinks' })).toMatchObject({ deleted: true });
    expect(await call('memory_delete', { nodeId: 'drinks' })).toMatchObject({ deleted: false });
    await expect(call('memory_read', { nodeId: 'drinks' })).rejects.toMatchObject(missing);
    expect(await search('drinks')).toEqual(['tea']);
    expect((await call('memory_list', {})).summary).toContain('tea "Tea"');
    expect(Object.keys(await test.files())).not.toContain(pathOf('drinks'));
  });

  it('another user’s agent cannot delete a node, and an id that leads out of the memory folder is refused', async () => {
    await write({ nodeId: 'tea', title: 'Tea' });
    expect(await call('memory_delete', { nodeId: 'tea' }, test.newAgent())).toMatchObject({
      deleted: false,
    });
    for (const nodeId of ['root', '../../home/notes', 'tea.md', ''])
      await expect(call('memory_delete', { nodeId })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    expect((await call('memory_read', { nodeId: 'tea' })).title).toBe('Tea');
  });

  it('a long node is returned in parts', async () => {
    const content = '🦊"\n'.repeat(8_000).trim();
    await write({ nodeId: 'long', title: 'Long', content });
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: { text: string; nextOffset?: number } = await call('memory_read', {
        nodeId: 'long',
        offset,
      });
      text += part.text;
      offset = part.nextOffset;
    }
    expect(text).toBe(content);
  });

  it('concurrent writes to a node never leave a mixture of their texts in it', async () => {
    const writers = [tools, test.replica()];
    const contents = ['a', 'b'].map((letter) => letter.repeat(30_000));
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const content = contents[index % 2];
        const args = { nodeId: 'both', title: 'Both', content };
        await callAs(writers[index % 2]!, agent, 'memory_write', args);
        const file = await test.homes.read(agent.userId, 'memory/graph/both.md', 65_536);
        const [, text] = /\n---\n\n(.*)\n$/s.exec(file?.toString() ?? '') ?? [];
        expect(contents).toContain(text);
      }),
    );
    const paths = Object.keys(await test.files()).filter((path) => path.startsWith(agent.userId));
    expect(paths).toEqual([pathOf('both')]);
  });
});

describe('a user’s memory', () => {
  const ids = [
    '',
    '.',
    '..',
    '../x',
    '../../x',
    'a/b',
    'a\\b',
    'a\0',
    '/etc/passwd',
    'A',
    'a.md',
    'a'.repeat(65),
  ];
  it.each(ids)('refuses the node id %j', async (id) => {
    await write({ nodeId: 'x', title: 'x' });
    const before = await test.files();
    const refused = {
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('must be 1 to 64 characters of a-z'),
    };
    await expect(write({ nodeId: id, title: 'x' })).rejects.toMatchObject(refused);
    await expect(write({ title: 'x', parents: [id] })).rejects.toMatchObject(refused);
    await expect(call('memory_read', { nodeId: id })).rejects.toMatchObject(refused);
    await expect(call('memory_list', { parent: id })).rejects.toMatchObject(refused);
    expect(await test.files()).toEqual(before);
  });

  it.each([
    { spec: { nodeId: 'root' }, message: 'nodeId must not be root' },
    {
      spec: { parents: ['nowhere'] },
      message: 'The parents must be existing nodes; nowhere does not exist',
    },
    {
      spec: { nodeId: 'top', parents: ['below'] },
      message: 'The parents must not form a cycle, but below is below top',
    },
    {
      spec: { content: '語'.repeat(22_000) },
      message: 'The content must fit into 65536 bytes of UTF-8',
    },
  ])('refuses a node: $message', async ({ spec, message }) => {
    await write({ nodeId: 'top', title: 'Top' });
    await write({ nodeId: 'below', title: 'Below', parents: ['top'] });
    const before = await test.files();
    const refused = { code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) };
    await expect(write({ title: 'x', ...spec })).rejects.toMatchObject(refused);
    expect(await test.files()).toEqual(before);
  });

  it('refuses a new node beyond 2,000, but still replaces, lists and finds existing ones', async () => {
    const names = Array.from({ length: 2_001 }, (_, index) => `n${index + 1_000}.md`);
    const before = new Date(Date.now() - anHour);
    await Promise.all(names.map((name) => test.put(agent, name, `Tea ${name}`, before)));
    await expect(write({ nodeId: 'one-more', title: 'x' })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    await write({ nodeId: 'n1500', title: 'x' });
    const { summary, count } = await call('memory_list', {});
    expect(count).toBe(2_000);
    expect(summary).toMatch(/\n… and \d+ more$/);
    expect((await call('memory_search', { query: 'tea', limit: 20 })).count).toBe(1_999);
  });
});

describe('a folder changed by hand', () => {
  it('a search finds every readable node file in the folder, and follows no links', async () => {
    await test.put(agent, 'plain.md', 'Just tea');
    await test.put(agent, 'broken.md', '---\ntitle: [Tea\n---\nbroken tea');
    await test.put(agent, 'bytes.md', Buffer.from([0xff, 0xfe, 0x00, 0x20, 0x74, 0x65, 0x61]));
    await test.put(agent, 'circle.md', '---\ntitle: C\nparents: [circle]\n---\ntea');
    await test.put(agent, 'huge.md', 'tea '.repeat(20_000));
    for (const name of ['root.md', 'Tea.md', 'tea.txt', '.md', '-x.md'])
      await test.put(agent, name, 'tea');
    const folder = join(test.usersDir, agent.userId, 'memory', 'graph');
    await mkdir(join(folder, 'dir.md'));
    await symlink('plain.md', join(folder, 'link.md'));
    await symlink('/etc/passwd', join(folder, 'passwd.md'));
    expect((await search('tea')).sort()).toEqual(['broken', 'bytes', 'circle', 'plain']);
    expect((await call('memory_read', { nodeId: 'broken' })).text).toContain('title: [Tea');
    for (const nodeId of ['dir', 'link', 'passwd', 'tea'])
      await expect(call('memory_read', { nodeId })).rejects.toMatchObject(missing);
    await expect(call('memory_read', { nodeId: 'huge' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
  });

  it('a node with broken front matter can be repaired by writing it again, and its file’s earlier modification time becomes its creation time', async () => {
    const modifiedAt = new Date('2026-01-02T03:04:05Z');
    await test.put(agent, 'broken.md', '---\ntitle: [Tea\n---\nbroken tea', modifiedAt);
    const createdAt = modifiedAt.toISOString();
    expect(await call('memory_read', { nodeId: 'broken' })).toMatchObject({ title: '', createdAt });
    await write({ nodeId: 'broken', title: 'Mended' });
    expect(await call('memory_read', { nodeId: 'broken' })).toMatchObject({
      title: 'Mended',
      createdAt,
      updatedAt: test.now.toISOString(),
    });
  });
});
