import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chownTree } from '../../exec/sandbox/chown-tree';
import { readAll } from '../../test-support/test-files';
import { TestHomes } from '../../test-support/homes/test-homes';
import { eachFolder } from './each-folder';
import { Pin, using } from './pin';
import type { UserHomes } from '../usecases/user-homes';

const block = 4_096;
// Together they make a path that is longer than the system accepts, and much deeper than the number of folders held
// open at once.
const longName = 'd'.repeat(40);
const depth = 400;

let test: TestHomes;
let homes: UserHomes;
let userId: string;
let directory: string;

beforeAll(async () => {
  ({ test, homes } = await TestHomes.openWith(64 * 1024 * 1024));
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ userId, directory } = await test.newUser(homes));
});

/** Creates nested folders step by step, as a program would; each level also has an empty folder named `side`. */
function digIn(folder: string, name = longName, levels = depth): void {
  const step = `fs.mkdirSync('side'); fs.mkdirSync('${name}'); process.chdir('${name}');`;
  const dig = `for (let n = 0; n < ${levels}; n++) { ${step} }`;
  execFileSync(process.execPath, ['-e', dig], { cwd: folder });
}

describe('folders deeper than the longest path', () => {
  it('very deep folders count against the quota, do not prevent writes, and can be deleted with their contents', async () => {
    const before = await homes.measure(userId);
    digIn(join(directory, 'home'));
    const entries = before.entries + 2 * depth;
    expect(await homes.recount(userId)).toEqual({ entries, bytes: entries * block });
    await homes.write(userId, 'home/note.txt', Buffer.from('still'));
    await homes.remove(userId, 'home/note.txt');
    expect(await homes.remove(userId, `home/${longName}`, { recursive: true })).toBe(true);
    expect(await homes.remove(userId, 'home/side')).toBe(true);
    expect(await homes.measure(userId)).toEqual(before);
    expect(await test.usageOf(userId)).toMatchObject({
      usedBytes: before.bytes,
      usedEntries: before.entries,
    });
  });
});

describe('visiting all folders', () => {
  /** Counts only the user's folders, not other files that the process has open. */
  const openFiles = async (): Promise<number> => {
    const all = await readdir('/proc/self/fd');
    const links = all.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
    return (await Promise.all(links)).filter((path) => path.startsWith(directory)).length;
  };

  it('a walk visits the levels it can still reach when a deep folder is moved away, and leaks no handles', async () => {
    const home = join(directory, 'home');
    digIn(home, 'd', 120);
    const before = await openFiles();
    const top = (await Pin.root(home))!;
    let visits = 0;
    const visit = async (folder: Pin): Promise<Buffer[]> => {
      if (++visits === 100)
        await rename(join(home, ...Array<string>(90).fill('d')), join(home, 'away'));
      return (await readAll(folder.names())).sort().reverse();
    };
    await using(top, () => eachFolder(top, { visit }));
    expect(await openFiles()).toBe(before);
    // The `side` folders of the 26 levels that could no longer be reached were not visited.
    expect(visits).toBe(1 + 2 * 120 - 26);
  });

  if (process.getuid?.() === 0)
    it('changing a tree’s owner reaches every entry, however deep', async () => {
      const home = join(directory, 'home');
      digIn(home);
      const top = (await Pin.root(home))!;
      await using(top, () => chownTree(65_534, top));
      const unchanged = execFileSync('find', ['.', '-mindepth', '1', '!', '-uid', '65534'], {
        cwd: home,
      });
      expect(unchanged.toString()).toBe('');
      await homes.remove(userId, 'home', { recursive: true });
    });
});

describe('deleting a folder with its contents', () => {
  it('a recursive removal deletes links themselves, not their targets', async () => {
    await mkdir(join(directory, 'home/a/b'), { recursive: true });
    await symlink(test.outside, join(directory, 'home/a/out'));
    await symlink(test.outside, join(directory, 'home/link'));
    for (const path of ['home/a', 'home/link'])
      expect(await homes.remove(userId, path, { recursive: true })).toBe(true);
    expect(await homes.remove(userId, 'home/a', { recursive: true })).toBe(false);
    expect(await readdir(test.outside)).toContain('canary.txt');
    expect(await readdir(join(directory, 'home'))).toEqual([]);
  });

  it('a recursive removal empties a top-level folder, including entries that no path can name', async () => {
    await mkdir(join(directory, 'home', '\u0001', 'in'), { recursive: true });
    await writeFile(Buffer.from(`${directory}/home/\xff`, 'latin1'), 'odd');
    expect(await homes.remove(userId, 'home', { recursive: true })).toBe(true);
    expect(await homes.list(userId, 'home')).toEqual([]);
    await expect(homes.remove(userId, 'home')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
