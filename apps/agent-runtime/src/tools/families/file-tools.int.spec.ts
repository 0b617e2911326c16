import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../agents/domain/agent';
import type { UserHomes } from '../../homes/usecases/user-homes';
import { testAgent, testContext } from '../../test-support/test-agent';
import { TestHomes } from '../../test-support/homes/test-homes';
import { makeSearchFiles } from '../../homes/usecases/search-files';
import { fileTools } from './file-tools';
import { testRegistry } from '../../test-support/test-tool';
import type { ToolRegistry } from '../registry/tool-registry';

let test: TestHomes;
let homes: UserHomes;
let tools: ToolRegistry;
let agent: Agent;
let directory: string;

beforeAll(async () => {
  test = await TestHomes.open();
  homes = await test.replica();
  tools = testRegistry(
    fileTools({
      files: { homes, searchFiles: makeSearchFiles({ homes }) },
      ledger: test.ledger(),
    }),
  );
});
afterAll(() => test.close());
beforeEach(async () => {
  const user = await test.newUser(homes);
  ({ directory } = user);
  agent = testAgent({ userId: user.userId });
});

async function call(name: string, args: object, who = agent) {
  const context = testContext(who, { requestId: createId() });
  const { resultJson, truncated } = await tools.call(name, JSON.stringify(args), context);
  expect(truncated).toBe(false);
  return JSON.parse(resultJson);
}

const write = (path: string, content: string) => call('file_write', { path, content });

it('there are no file tools if users have no directories', () => {
  expect(fileTools({ files: undefined, ledger: test.ledger() })).toEqual([]);
});

describe('every file tool', () => {
  const args = { content: 'a', query: 'a' };
  const names = ['file_read', 'file_write', 'file_list', 'file_delete', 'file_search'];
  const keysOf = (name: string): string[] =>
    Object.keys(tools.list(agent).find((tool) => tool.name === name)!.inputSchema['properties']!);

  it.each(names)('%s accepts only paths in home, skills and apps', async (name) => {
    const otherArgs = Object.entries(args).filter(([key]) => keysOf(name).includes(key));
    for (const path of ['memory/graph/a.md', 'memory', '../a', '/home/a', 'a', 'home/../memory'])
      await expect(call(name, { ...Object.fromEntries(otherArgs), path })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('Paths look like home/'),
      });
  });
});

describe('file_write and file_read', () => {
  it('file_read returns what file_write wrote, to agents of the same user only', async () => {
    const written = await write('home/notes/a.txt', 'one\ntwo\n');
    expect(written).toEqual({
      summary: 'Wrote 8 bytes to home/notes/a.txt',
      path: 'home/notes/a.txt',
      bytes: 8,
    });
    expect(await call('file_read', { path: 'home/notes/a.txt' })).toEqual({
      summary: 'Lines 1 to 2 of 2 of home/notes/a.txt',
      text: 'one\ntwo',
    });
    const stranger = testAgent({ userId: createId() });
    await expect(call('file_read', { path: 'home/notes/a.txt' }, stranger)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'File not found',
    });
  });

  it('file_read returns a long file in parts without losing a line', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index} "quoted"`);
    await write('home/long.txt', lines.join('\n'));
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part = await call('file_read', { path: 'home/long.txt', offset });
      seen.push(...part.text.split('\n'));
      offset = part.nextOffset;
    }
    expect(seen).toEqual(lines);
    const some = await call('file_read', { path: 'home/long.txt', offset: 5, limit: 2 });
    expect(some).toMatchObject({ text: lines.slice(5, 7).join('\n'), nextOffset: 7 });
  });

  it('file_read sets isTruncated when it has truncated a line that is too long', async () => {
    await write('home/wide.txt', `${'x'.repeat(7_000)}\nshort`);
    const first = await call('file_read', { path: 'home/wide.txt' });
    expect(first).toMatchObject({ isTruncated: true, nextOffset: 1 });
    expect(first.summary).toMatch(/the line is too long and was truncated$/);
    const second = await call('file_read', { path: 'home/wide.txt', offset: 1 });
    expect(second).toEqual({ summary: 'Lines 2 to 2 of 2 of home/wide.txt', text: 'short' });
  });

  it('file_read rejects binary files, large files and folders', async () => {
    await writeFile(join(directory, 'home/a.bin'), Buffer.from([1, 2, 0, 255]));
    await writeFile(join(directory, 'home/big.txt'), 'x'.repeat(1024 * 1024 + 1));
    await expect(call('file_read', { path: 'home/a.bin' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: 'The file is not text',
    });
    await expect(call('file_read', { path: 'home/big.txt' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    await expect(call('file_read', { path: 'home' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('file_list', () => {
  it('file_list lists the folder at the given path, or home, skills and apps if no path is given', async () => {
    await write('home/notes/a.txt', 'one');
    await write('skills/cook.md', 'heat');
    const { summary } = await call('file_list', {});
    const changed = 'changed [0-9-]{10}T[0-9:.]{12}Z';
    expect(summary).toMatch(
      new RegExp(
        `^home/\\nhome/notes/ ${changed}\\nskills/\\nskills/cook.md 4 bytes ${changed}\\napps/$`,
      ),
    );
    expect((await call('file_list', { path: 'home/notes/' })).summary).toMatch(
      /^home\/notes\/a\.txt 3 bytes/,
    );
    expect(await call('file_list', { path: 'apps' })).toEqual({
      summary: 'The folder is empty',
      count: 0,
    });
    const newcomer = testAgent({ userId: createId() });
    expect(await call('file_list', { path: 'home' }, newcomer)).toMatchObject({ count: 0 });
    await expect(call('file_list', { path: 'home/none' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('file_list says how many entries did not fit', async () => {
    await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        writeFile(join(directory, 'home', `${'x'.repeat(60)}${index}`), ''),
      ),
    );
    const { summary, count } = await call('file_list', { path: 'home' });
    expect(count).toBe(150);
    expect(summary).toMatch(/… and \d+ more$/);
  });
});

describe('file_delete', () => {
  it('file_delete reports whether there was a file to delete, and refuses home, skills and apps unless recursive is set', async () => {
    await write('home/a.txt', 'one');
    expect(await call('file_delete', { path: 'home/a.txt' })).toMatchObject({ deleted: true });
    expect(await call('file_delete', { path: 'home/a.txt' })).toMatchObject({
      summary: 'home/a.txt does not exist',
      deleted: false,
    });
    for (const path of ['home', 'skills/', 'apps'])
      await expect(call('file_delete', { path })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
  });

  it('file_delete deletes a folder that is not empty only if recursive is set', async () => {
    await write('home/a/b/c.txt', 'one');
    await expect(call('file_delete', { path: 'home/a' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('recursive'),
    });
    const all = { recursive: true };
    expect(await call('file_delete', { path: 'home/a', ...all })).toMatchObject({ deleted: true });
    expect(await call('file_list', { path: 'home' })).toMatchObject({ count: 0 });
    expect(await call('file_delete', { path: 'home', ...all })).toMatchObject({
      summary: 'Emptied home',
    });
  });
});

describe('file_search', () => {
  it('file_search finds lines that contain all the words, in any folder and ignoring case', async () => {
    await write('home/a.txt', 'nothing\nThe quick Fox\n');
    await write('apps/deep/er/b.txt', 'foxes are QUICK');
    await writeFile(join(directory, 'home/c.bin'), Buffer.from('quick fox\0'));
    await writeFile(join(directory, 'home/d.txt'), `quick fox${' '.repeat(1024 * 1024)}`);
    await symlink('a.txt', join(directory, 'home/link'));
    expect(await call('file_search', { query: ' FOX quick ' })).toEqual({
      summary: '2 lines found',
      matches: [
        { path: 'home/a.txt', line: 2, text: 'The quick Fox' },
        { path: 'apps/deep/er/b.txt', line: 1, text: 'foxes are QUICK' },
      ],
    });
    expect(await call('file_search', { query: 'fox', path: 'apps' })).toMatchObject({
      summary: '1 line found',
    });
    expect((await call('file_search', { query: 'fox', path: 'home/a.txt' })).matches).toHaveLength(
      1,
    );
  });

  it('file_search says when there are more matches than it returns', async () => {
    expect(await call('file_search', { query: 'fox' })).toMatchObject({ matches: [] });
    await write('home/many.txt', 'fox\n'.repeat(200));
    const { summary, matches } = await call('file_search', { query: 'fox' });
    expect(matches).toHaveLength(50);
    expect(summary).toContain('there may be more');
  });

  it('file_search returns only the first 50 matches from a large file that matches on every line', async () => {
    await writeFile(join(directory, 'home/all.txt'), 'ox\n'.repeat(300_000));
    const { matches } = await call('file_search', { query: 'ox' });
    expect(matches).toHaveLength(50);
  });

  it.each(['', ' ', 'a '.repeat(11), 'a'.repeat(201), 'a\nb'])(
    'file_search rejects the query %j',
    async (query) => {
      await expect(call('file_search', { query })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    },
  );
});
