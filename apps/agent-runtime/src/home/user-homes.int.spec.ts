import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@paralleldrive/cuid2';
import type { ServiceKit } from '@daycare/service-kit';
import { TestHomes } from '../test-support/test-homes';
import { openHomes } from './open-homes';
import type { UserHomes } from './user-homes';

const block = 4_096;
const quotaBytes = 1024 * 1024;
const half = { bytes: quotaBytes / 2, entries: 1 };

let test: TestHomes;
let homes: UserHomes;
let userId: string;
let directory: string;

beforeAll(async () => {
  test = await TestHomes.open();
  homes = await test.replica(quotaBytes);
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ userId, directory } = await test.newUser(homes));
});

const bytes = (length: number): Buffer => Buffer.alloc(length, 'x');
const used = async (): Promise<number> => (await test.homeUse.find(userId))?.usedBytes ?? 0;
const measured = async (): Promise<number> => (await homes.measure(userId)).bytes;
const text = async (path: string) => (await homes.read(userId, path, 1_000))?.toString();

describe("a user's directory", () => {
  it('has its folders, however often it is made', async () => {
    await homes.ensure(userId);
    expect((await readdir(directory)).sort()).toEqual([
      '.drafts',
      'apps',
      'home',
      'memory',
      'skills',
    ]);
    expect(await homes.list(userId, 'memory')).toMatchObject([{ name: 'graph', kind: 'folder' }]);
  });

  it('gives back what was written, in folders that are made on the way', async () => {
    await homes.write(userId, 'home/a/b/note.txt', Buffer.from('one'));
    await homes.write(userId, 'home/a/b/note.txt', Buffer.from('two'));
    expect(await text('home/a/b/note.txt')).toBe('two');
    expect(await homes.list(userId, 'home/a')).toMatchObject([{ name: 'b', kind: 'folder' }]);
    expect(await homes.list(userId, 'home/a/b')).toEqual([
      { name: 'note.txt', kind: 'file', size: 3, modifiedAt: expect.any(Date) },
    ]);
    expect(await readdir(join(directory, '.drafts'))).toEqual([]);
  });

  it('knows a name in whatever form its letters come', async () => {
    await homes.write(userId, 'home/caf\u0065\u0301', Buffer.from('composed'));
    expect(await text('home/caf\u00e9')).toBe('composed');
  });

  it('is never seen by another user', async () => {
    await homes.write(userId, 'home/mine.txt', Buffer.from('mine'));
    const other = createId();
    expect(await homes.read(other, 'home/mine.txt', 10)).toBeUndefined();
    expect(await homes.list(other, 'home')).toBeUndefined();
    expect(await homes.remove(other, 'home/mine.txt')).toBe(false);
  });

  it('refuses to read more than is wanted', async () => {
    await homes.write(userId, 'home/long.txt', bytes(11));
    await expect(homes.read(userId, 'home/long.txt', 10)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    expect(await homes.read(userId, 'home/long.txt', 11)).toHaveLength(11);
  });

  it('removes files and empty folders, once', async () => {
    await homes.write(userId, 'home/a/note.txt', Buffer.from('one'));
    await expect(homes.remove(userId, 'home/a')).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    expect(await homes.remove(userId, 'home/a/note.txt')).toBe(true);
    expect(await homes.remove(userId, 'home/a/note.txt')).toBe(false);
    expect(await homes.remove(userId, 'home/a')).toBe(true);
  });

  it('follows links that stay inside for reading, and changes nothing through them', async () => {
    await homes.write(userId, 'home/real/note.txt', Buffer.from('one'));
    await symlink('real', join(directory, 'home/link'));
    await symlink('../home/link/note.txt', join(directory, 'apps/note'));
    await symlink('..', join(directory, 'home/real/up'));
    expect(await text('home/link/note.txt')).toBe('one');
    expect(await text('apps/note')).toBe('one');
    expect(await text('home/real/up/real/note.txt')).toBe('one');
    expect(await homes.read(userId, 'apps/note', 10, { plainOnly: true })).toBeUndefined();
    for (const path of ['home/link/note.txt', 'apps/note'])
      await expect(homes.write(userId, path, bytes(1))).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
      });
    expect(await homes.remove(userId, 'apps/note')).toBe(true);
    expect(await text('home/real/note.txt')).toBe('one');
  });

  it('is read whole, as it was or as it is, while it is written', async () => {
    const contents = ['one', 'the other'];
    await homes.write(userId, 'home/a.txt', Buffer.from(contents[0]!));
    const written = { count: 0 };
    const writing = (async () => {
      for (; written.count < 50; written.count++)
        await homes.write(userId, 'home/a.txt', Buffer.from(contents[written.count % 2]!));
    })();
    const seen = new Set<string | undefined>();
    while (written.count < 50) seen.add(await text('home/a.txt'));
    await writing;
    for (const content of seen) expect(contents).toContain(content);
  });

  it('leaves a program one when it is written again', async () => {
    await homes.write(userId, 'apps/run.sh', Buffer.from('one'));
    await chmod(join(directory, 'apps/run.sh'), 0o755);
    await homes.write(userId, 'apps/run.sh', Buffer.from('two'));
    const { mode } = await stat(join(directory, 'apps/run.sh'));
    expect(mode & 0o777).toBe(0o755);
  });
});

describe('openHomes', () => {
  const log = { info: () => undefined } as unknown as ServiceKit['log'];
  const open = (usersDir: string) =>
    openHomes(
      { usersDir, homeQuotaBytes: quotaBytes },
      { ...stores(), now: () => new Date() },
      { log },
    );
  const stores = () => ({ homeUse: test.homeUse, goneUsers: test.goneUsers });

  it('gives nobody a directory when none is configured', async () => {
    expect(await open('')).toBeUndefined();
  });

  it('names the variable when the directory cannot be used', async () => {
    await writeFile(join(test.folder, 'file'), '');
    await expect(open(join(test.folder, 'file'))).rejects.toThrow('DAYCARE_USERS_DIR');
  });
});

describe('a user who is gone', () => {
  it('loses everything, however deep, locked or oddly named, and gets nothing new', async () => {
    await homes.write(userId, 'home/a/note.txt', bytes(10));
    await mkdir(join(directory, 'home', ...Array.from({ length: 100 }, () => 'd')), {
      recursive: true,
    });
    await writeFile(Buffer.from(`${directory}/home/\xff\xfe`, 'latin1'), 'odd');
    await mkdir(join(directory, 'home/locked/in'), { recursive: true });
    await chmod(join(directory, 'home/locked'), 0);
    await symlink(test.outside, join(directory, 'home/out'));
    await test.goneUsers.add(userId, new Date());
    const keepers = [homes, test.homeUse, homes, test.homeUse];
    for (const keeper of keepers) await keeper.deleteOfUser(userId);
    expect(await test.homeUse.find(userId)).toBeUndefined();
    expect(await readdir(test.usersDir)).not.toContain(userId);
    expect(await readdir(test.outside)).toContain('canary.txt');
    const missing = { code: 'NOT_FOUND' };
    await expect(homes.ensure(userId)).rejects.toMatchObject(missing);
    await expect(homes.write(userId, 'home/a', bytes(1))).rejects.toMatchObject(missing);
    await expect(homes.directoryOf(userId)).rejects.toMatchObject(missing);
    expect(await readdir(test.usersDir)).not.toContain(userId);
  });
});

describe('the quota', () => {
  it('counts what is there, through writing, replacing and removing', async () => {
    await homes.write(userId, 'home/a/b.bin', bytes(3 * block));
    expect(await used()).toBe(await measured());
    await homes.write(userId, 'home/a/b.bin', bytes(block + 1));
    expect(await used()).toBe(await measured());
    await homes.remove(userId, 'home/a/b.bin');
    await homes.remove(userId, 'home/a');
    expect(await used()).toBe(await measured());
  });

  it('refuses what does not fit and leaves everything as it was', async () => {
    await homes.write(userId, 'home/a.bin', bytes(quotaBytes / 2));
    const before = await used();
    await expect(homes.write(userId, 'home/b/c.bin', bytes(quotaBytes / 2))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { quota: { subject: 'home' } },
    });
    expect(await used()).toBe(before);
    expect(await homes.list(userId, 'home')).toHaveLength(1);
    expect(await homes.remove(userId, 'home/a.bin')).toBe(true);
    await homes.write(userId, 'home/b/c.bin', bytes(quotaBytes / 2));
  });

  it('gives back what a refused write had taken', async () => {
    await homes.write(userId, 'home/a', bytes(1));
    await expect(homes.write(userId, 'home/a/b', bytes(block))).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    expect(await used()).toBe(await measured());
  });

  it('is not exceeded by 50 writes at once in two replicas, and fills up', async () => {
    const small = 40 * block;
    const replicas = await Promise.all([test.replica(small), test.replica(small)]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        replicas[index % 2]!.write(userId, `home/${index}.bin`, bytes(2 * block)),
      ),
    );
    const written = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(written).toBe((await homes.list(userId, 'home'))!.length);
    expect(written).toBeGreaterThan(5);
    expect(await measured()).toBeLessThanOrEqual(small);
    expect(await used()).toBeLessThanOrEqual(small);
  });

  it('never counts too little when the same file is replaced and removed by many at once', async () => {
    await homes.write(userId, 'home/other.bin', bytes(150 * block));
    await homes.write(userId, 'home/same.bin', bytes(40 * block));
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 5 === 4
          ? homes.remove(userId, 'home/same.bin')
          : homes.write(userId, 'home/same.bin', bytes(block)),
      ),
    );
    expect(await used()).toBeGreaterThanOrEqual(await measured());
    await homes.recount(userId);
    expect(await used()).toBe(await measured());
  });

  it('is measured anew before anybody is refused: what was cut off no longer counts', async () => {
    await homes.write(userId, 'home/a.txt', bytes(1));
    const at = new Date(test.now.getTime() - 60 * 60_000);
    await test.homeUse.reserve(userId, { id: 'cut-off', ...half, at }, homes.limits);
    await writeFile(join(directory, '.drafts', 'cut-off'), bytes(quotaBytes));
    await utimes(join(directory, '.drafts', 'cut-off'), 0, 0);
    await homes.write(userId, 'home/b.bin', bytes(quotaBytes / 2));
    expect(await readdir(join(directory, '.drafts'))).toEqual([]);
    expect(await used()).toBe(await measured());
  });

  it('does not forget room that a write under way has taken', async () => {
    await homes.write(userId, 'home/a.txt', bytes(1));
    const underWay = { id: 'under-way', ...half, at: test.now };
    await test.homeUse.reserve(userId, underWay, homes.limits);
    await expect(homes.write(userId, 'home/b.bin', bytes(quotaBytes / 2))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
  });

  it('counts what programs have written by themselves, once told', async () => {
    await writeFile(join(directory, 'apps/big.bin'), bytes(quotaBytes));
    expect((await homes.recount(userId)).bytes).toBeGreaterThan(quotaBytes);
    await expect(homes.write(userId, 'home/b', bytes(1))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
  });
});
