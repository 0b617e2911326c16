import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { ServiceKit } from '@daycare/service-kit';
import { TestHomes } from '../../test-support/homes/test-homes';
import { openHomes } from './open-homes';
import type { UserHomes } from './user-homes';

const block = 4_096;
const quotaBytes = 1024 * 1024;
const halfOfQuota = { bytes: quotaBytes / 2, entries: 1 };

let test: TestHomes;
let homes: UserHomes;
let userId: string;
let directory: string;

beforeAll(async () => {
  ({ test, homes } = await TestHomes.openWith(quotaBytes));
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ userId, directory } = await test.newUser(homes));
});

const bytes = (length: number): Buffer => Buffer.alloc(length, 'x');
const usedBytes = async (): Promise<number> => (await test.usageOf(userId))?.usedBytes ?? 0;
const measuredBytes = async (): Promise<number> => (await homes.measure(userId)).bytes;
const readText = async (path: string) => (await homes.read(userId, path, 1_000))?.toString();

describe("a user's directory", () => {
  it("creating a user's directory also creates its folders, and can be repeated", async () => {
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

  it('written files can be read back, and missing folders are created', async () => {
    await homes.write(userId, 'home/a/b/note.txt', Buffer.from('one'));
    await homes.write(userId, 'home/a/b/note.txt', Buffer.from('two'));
    expect(await readText('home/a/b/note.txt')).toBe('two');
    expect(await homes.list(userId, 'home/a')).toMatchObject([{ name: 'b', kind: 'folder' }]);
    expect(await homes.list(userId, 'home/a/b')).toEqual([
      { name: 'note.txt', kind: 'file', size: 3, modifiedAt: expect.any(Date) },
    ]);
    expect(await readdir(join(directory, '.drafts'))).toEqual([]);
  });

  it('composed and decomposed Unicode forms of a name refer to the same file', async () => {
    await homes.write(userId, 'home/caf\u0065\u0301', Buffer.from('same file'));
    expect(await readText('home/caf\u00e9')).toBe('same file');
  });

  it("a user cannot read, list or delete another user's files", async () => {
    await homes.write(userId, 'home/mine.txt', Buffer.from('mine'));
    const other = createId();
    expect(await homes.read(other, 'home/mine.txt', 10)).toBeUndefined();
    expect(await homes.list(other, 'home')).toBeUndefined();
    expect(await homes.remove(other, 'home/mine.txt')).toBe(false);
  });

  it('reading a file longer than the given limit is refused', async () => {
    await homes.write(userId, 'home/long.txt', bytes(11));
    await expect(homes.read(userId, 'home/long.txt', 10)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    expect(await homes.read(userId, 'home/long.txt', 11)).toHaveLength(11);
  });

  it('removal deletes files and empty folders, and returns false for entries that no longer exist', async () => {
    await homes.write(userId, 'home/a/note.txt', Buffer.from('one'));
    await expect(homes.remove(userId, 'home/a')).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    expect(await homes.remove(userId, 'home/a/note.txt')).toBe(true);
    expect(await homes.remove(userId, 'home/a/note.txt')).toBe(false);
    expect(await homes.remove(userId, 'home/a')).toBe(true);
  });

  it('links inside the user’s tree are followed for reading, but nothing is changed through them', async () => {
    await homes.write(userId, 'home/real/note.txt', Buffer.from('one'));
    await symlink('real', join(directory, 'home/link'));
    await symlink('../home/link/note.txt', join(directory, 'apps/note'));
    await symlink('..', join(directory, 'home/real/up'));
    expect(await readText('home/link/note.txt')).toBe('one');
    expect(await readText('apps/note')).toBe('one');
    expect(await readText('home/real/up/real/note.txt')).toBe('one');
    expect(await homes.read(userId, 'apps/note', 10, { plainOnly: true })).toBeUndefined();
    for (const path of ['home/link/note.txt', 'apps/note'])
      await expect(homes.write(userId, path, bytes(1))).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
      });
    expect(await homes.remove(userId, 'apps/note')).toBe(true);
    expect(await readText('home/real/note.txt')).toBe('one');
  });

  it('a concurrent reader sees either the whole old file or the whole new one', async () => {
    const contents = ['one', 'the other'];
    await homes.write(userId, 'home/a.txt', Buffer.from(contents[0]!));
    const written = { count: 0 };
    const writing = (async () => {
      for (; written.count < 50; written.count++)
        await homes.write(userId, 'home/a.txt', Buffer.from(contents[written.count % 2]!));
    })();
    const seen = new Set<string | undefined>();
    while (written.count < 50) seen.add(await readText('home/a.txt'));
    await writing;
    for (const content of seen) expect(contents).toContain(content);
  });

  it('an executable stays executable when it is written again', async () => {
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
  const stores = () => ({
    homeUsage: test.homeUsage,
    provenanceRows: test.provenanceRows,
    programTraces: test.programTraces,
    deletedUsers: test.deletedUsers,
    ownerOf: test.ownerOf,
  });

  it('returns undefined when no directory is configured', async () => {
    expect(await open('')).toBeUndefined();
  });

  it('throws an error that names DAYCARE_USERS_DIR when the directory cannot be used', async () => {
    await writeFile(join(test.folder, 'file'), '');
    await expect(open(join(test.folder, 'file'))).rejects.toThrow('DAYCARE_USERS_DIR');
  });
});

describe('a deleted user', () => {
  it('deleting a user removes all files, however deep, locked or oddly named, and later writes are refused', async () => {
    await homes.write(userId, 'home/a/note.txt', bytes(10));
    await mkdir(join(directory, 'home', ...Array.from({ length: 100 }, () => 'd')), {
      recursive: true,
    });
    await writeFile(Buffer.from(`${directory}/home/\xff\xfe`, 'latin1'), 'odd');
    await mkdir(join(directory, 'home/locked/in'), { recursive: true });
    await chmod(join(directory, 'home/locked'), 0);
    await symlink(test.outside, join(directory, 'home/out'));
    await test.deletedUsers.add(userId, new Date());
    const userDataStores = [homes, test.homeUsage, homes, test.homeUsage];
    for (const store of userDataStores) await store.deleteByUser(userId);
    expect(await test.usageOf(userId)).toBeUndefined();
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
  it('the stored usage stays correct when files are written, replaced and deleted', async () => {
    await homes.write(userId, 'home/a/b.bin', bytes(3 * block));
    expect(await usedBytes()).toBe(await measuredBytes());
    await homes.write(userId, 'home/a/b.bin', bytes(block + 1));
    expect(await usedBytes()).toBe(await measuredBytes());
    await homes.remove(userId, 'home/a/b.bin');
    await homes.remove(userId, 'home/a');
    expect(await usedBytes()).toBe(await measuredBytes());
  });

  it('a write that would exceed the quota is refused and changes nothing', async () => {
    await homes.write(userId, 'home/a.bin', bytes(quotaBytes / 2));
    const before = await usedBytes();
    await expect(homes.write(userId, 'home/b/c.bin', bytes(quotaBytes / 2))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { quota: { subject: 'home' } },
    });
    expect(await usedBytes()).toBe(before);
    expect(await homes.list(userId, 'home')).toHaveLength(1);
    expect(await homes.remove(userId, 'home/a.bin')).toBe(true);
    await homes.write(userId, 'home/b/c.bin', bytes(quotaBytes / 2));
  });

  it('a refused write releases the space it reserved', async () => {
    await homes.write(userId, 'home/a', bytes(1));
    await expect(homes.write(userId, 'home/a/b', bytes(block))).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    expect(await usedBytes()).toBe(await measuredBytes());
  });

  it('of 50 concurrent writes on two replicas, some succeed and together they do not exceed the quota', async () => {
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
    expect(await measuredBytes()).toBeLessThanOrEqual(small);
    expect(await usedBytes()).toBeLessThanOrEqual(small);
  });

  it('usage is never too low when many callers replace and delete the same file concurrently', async () => {
    await homes.write(userId, 'home/other.bin', bytes(150 * block));
    await homes.write(userId, 'home/same.bin', bytes(40 * block));
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 5 === 4
          ? homes.remove(userId, 'home/same.bin')
          : homes.write(userId, 'home/same.bin', bytes(block)),
      ),
    );
    expect(await usedBytes()).toBeGreaterThanOrEqual(await measuredBytes());
    await homes.recount(userId);
    expect(await usedBytes()).toBe(await measuredBytes());
  });

  it('usage is measured before a write is refused, so interrupted writes no longer count', async () => {
    await homes.write(userId, 'home/a.txt', bytes(1));
    const at = new Date(test.now.getTime() - 60 * 60_000);
    await test.homeUsage.reserve(
      { ownerId: userId, userId },
      { id: 'cut-off', ...halfOfQuota, at },
      homes.limits,
    );
    await writeFile(join(directory, '.drafts', 'cut-off'), bytes(quotaBytes));
    await utimes(join(directory, '.drafts', 'cut-off'), 0, 0);
    await homes.write(userId, 'home/b.bin', bytes(quotaBytes / 2));
    expect(await readdir(join(directory, '.drafts'))).toEqual([]);
    expect(await usedBytes()).toBe(await measuredBytes());
  });

  it('measuring usage keeps the reservation for a write in progress', async () => {
    await homes.write(userId, 'home/a.txt', bytes(1));
    const underWay = { id: 'under-way', ...halfOfQuota, at: test.now };
    await test.homeUsage.reserve({ ownerId: userId, userId }, underWay, homes.limits);
    await expect(homes.write(userId, 'home/b.bin', bytes(quotaBytes / 2))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
  });

  it('a measurement of usage includes files written by programs', async () => {
    await writeFile(join(directory, 'apps/big.bin'), bytes(quotaBytes));
    expect((await homes.recount(userId)).bytes).toBeGreaterThan(quotaBytes);
    await expect(homes.write(userId, 'home/b', bytes(1))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
  });
});
