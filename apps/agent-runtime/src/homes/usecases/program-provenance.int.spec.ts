import { useFixture } from '@daycare/testing/jest';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendFile,
  copyFile,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import { TestHomes } from '../../test-support/homes/test-homes';
import { FileProvenance } from './file-provenance';
import type { UserHomes } from './user-homes';

const test = useFixture(() => TestHomes.open());
let homes: UserHomes, userId: string, home: string;
beforeEach(async () => {
  ({ homes, userId, home } = await test.newHome());
});

const write = (trust: Trust, path: string, text = `text of ${path}`) =>
  homes.write(userId, path, Buffer.from(text), { trust });
const authorOf = async (path: string): Promise<Trust | undefined> =>
  (await homes.readWithAuthor(userId, path, 1_000))?.writtenBy;

/** Runs a program in a turn with the given trust; returns the lowest trust that its output may have. */
async function run(trust: Trust, program: () => Promise<unknown>): Promise<Trust | undefined> {
  const trace = await homes.programs.begin(userId, createId(), trust);
  await program();
  return homes.programs.end(trace);
}

describe('a program run in a foreign turn', () => {
  it('marks the files that it created, appended to, moved or backdated, but not files it only copied or linked to', async () => {
    for (const name of ['kept', 'appended', 'moved', 'copied', 'backdated'])
      await write('own', `home/${name}.txt`);
    const author = await run('guest', async () => {
      await writeFile(join(home, 'new.txt'), 'new');
      await appendFile(join(home, 'appended.txt'), 'more');
      await rename(join(home, 'moved.txt'), join(home, 'away.txt'));
      await copyFile(join(home, 'copied.txt'), join(home, 'copy.txt'));
      await symlink('kept.txt', join(home, 'link.txt'));
      await writeFile(join(home, 'backdated.txt'), 'changed');
      await utimes(join(home, 'backdated.txt'), new Date(0), new Date(0));
    });
    expect(author).toBe('guest');
    for (const name of ['new', 'appended', 'away', 'copy', 'backdated'])
      expect([name, await authorOf(`home/${name}.txt`)]).toEqual([name, 'guest']);
    for (const name of ['kept', 'copied', 'link'])
      expect([name, await authorOf(`home/${name}.txt`)]).toEqual([name, undefined]);
    expect(await test.programTraces.list(userId)).toEqual([]);
  });

  it('marks deeply nested files, and the folder of a file whose name is not valid UTF-8', async () => {
    const unnameable = Buffer.concat([Buffer.from(`${home}/odd/`), Buffer.from([0xff, 0xfe])]);
    await run('outside', async () => {
      await mkdir(join(home, 'a/b/c'), { recursive: true });
      await writeFile(join(home, 'a/b/c/deep.txt'), 'deep');
      await mkdir(join(home, 'odd'));
      await writeFile(unnameable, 'foreign');
    });
    expect(await authorOf('home/a/b/c/deep.txt')).toBe('outside');
    // The next program can read a file that no tool can.
    expect(await run('own', () => readFile(unnameable))).toBe('outside');
    await rm(join(home, 'odd'), { recursive: true });
    await rm(join(home, 'a'), { recursive: true });
    test.now = new Date(Date.now() + 60 * 60_000);
    expect(await run('own', async () => undefined)).toBeUndefined();
  });

  it('cannot hide that a file is foreign by giving the file a second name', async () => {
    await run('guest', async () => {
      await writeFile(join(home, 'one.txt'), 'foreign');
      await link(join(home, 'one.txt'), join(home, 'two.txt'));
    });
    await rm(join(home, 'one.txt'));
    expect(await authorOf('home/two.txt')).toBe('guest');
  });
});

describe('a program run in the user’s own turn', () => {
  it('marks nothing while there are no foreign files', async () => {
    await write('own', 'home/a.txt');
    const author = await run('own', () => writeFile(join(home, 'b.txt'), 'mine'));
    expect(author).toBeUndefined();
    expect(await authorOf('home/b.txt')).toBeUndefined();
    expect(await test.provenanceRows.list(userId, undefined, 10)).toEqual([]);
  });

  it('a program run in the user’s own turn is treated as printing and writing foreign text if it can read a foreign file', async () => {
    await write('guest', 'home/theirs.txt', 'foreign');
    const author = await run('own', () =>
      copyFile(join(home, 'theirs.txt'), join(home, 'mine.txt')),
    );
    expect(author).toBe('guest');
    expect(await authorOf('home/mine.txt')).toBe('guest');
  });

  it('moving a folder moves the provenance of the files in it', async () => {
    await write('guest', 'home/guests/a.txt', 'foreign');
    await run('own', () => rename(join(home, 'guests'), join(home, 'mine')));
    expect(await authorOf('home/mine/a.txt')).toBe('guest');
  });

  it('a program’s output is the user’s own again once the user has overwritten or deleted every foreign file', async () => {
    await write('guest', 'home/a.txt', 'foreign');
    await write('guest', 'home/b.txt', 'foreign');
    await write('own', 'home/a.txt', 'mine');
    await homes.remove(userId, 'home/b.txt');
    expect(await run('own', async () => undefined)).toBeUndefined();
  });

  it('a program’s output is foreign if a guest’s turn wrote a file while it ran, even if the file was deleted before it ended', async () => {
    const author = await run('own', async () => {
      await write('guest', 'home/a.txt', 'foreign');
      await rename(join(home, 'a.txt'), join(home, 'b.txt'));
      expect(await authorOf('home/b.txt')).toBe('guest');
    });
    expect(author).toBe('guest');
    expect(await authorOf('home/b.txt')).toBe('guest');
    const second = await run('own', async () => {
      await write('guest', 'home/c.txt', 'foreign');
      await rm(join(home, 'c.txt'));
    });
    expect(second).toBe('guest');
  });

  it('a program that runs at the same time as a guest’s program is treated as having read that program’s files', async () => {
    const other = await homes.programs.begin(userId, createId(), 'guest');
    const author = await run('own', async () => {
      await writeFile(join(home, 'other.txt'), 'foreign');
      await copyFile(join(home, 'other.txt'), join(home, 'mine.txt'));
    });
    expect(author).toBe('guest');
    expect(await authorOf('home/mine.txt')).toBe('guest');
    await homes.programs.end(other);
  });
});

describe('a replica that dies while a program runs', () => {
  it('after a replica dies while running a guest’s program, every file is foreign until the program’s changes are found', async () => {
    await write('own', 'home/kept.txt');
    await homes.programs.begin(userId, createId(), 'guest');
    await writeFile(join(home, 'new.txt'), 'foreign');
    expect(await authorOf('home/kept.txt')).toBe('guest');
    expect(await authorOf('home/new.txt')).toBe('guest');
    test.now = new Date(Date.now() + 11 * 60_000);
    await authorOf('home/kept.txt');
    expect(await test.programTraces.list(userId)).toEqual([]);
    expect(await authorOf('home/kept.txt')).toBeUndefined();
    expect(await authorOf('home/new.txt')).toBe('guest');
  });

  it('files that a program wrote before its replica died are foreign from the very first read', async () => {
    const runUntilReplicaDies = async (name: string) => {
      await homes.programs.begin(userId, createId(), 'guest');
      await writeFile(join(home, name), 'foreign');
      test.now = new Date(test.now.getTime() + 11 * 60_000);
    };
    await runUntilReplicaDies('text.txt');
    expect(await authorOf('home/text.txt')).toBe('guest');
    await runUntilReplicaDies('name.txt');
    expect(await homes.provenance.authorOfNames(userId, 'home', ['name.txt'])).toBe('guest');
    expect(await test.programTraces.list(userId)).toEqual([]);
  });

  it('nothing is marked as foreign if the replica dies before the program starts', async () => {
    await write('own', 'home/kept.txt');
    await homes.programs.begin(userId, createId(), 'guest');
    test.now = new Date(Date.now() + 11 * 60_000);
    await authorOf('home/kept.txt');
    expect(await test.provenanceRows.list(userId, undefined, 10)).toEqual([]);
  });
});

it('file names that a guest’s program may have chosen have that program’s trust, while it runs and afterwards', async () => {
  const trace = await homes.programs.begin(userId, createId(), 'guest');
  await writeFile(join(home, 'chosen.txt'), '');
  const names = () => homes.provenance.authorOfNames(userId, 'home', ['chosen.txt']);
  expect(await names()).toBe('guest');
  await homes.programs.end(trace);
  expect(await names()).toBe('guest');
});

it('the end of a program removes the provenance of files that were deleted long before', async () => {
  await write('guest', 'home/kept.txt', 'foreign');
  await test.provenanceRows.mark(userId, ['home/deleted.txt', 'home/a/deleted.txt'], 'guest');
  await run('own', async () => undefined);
  expect(await test.provenanceRows.list(userId, undefined, 10)).toHaveLength(3);
  test.now = new Date(Date.now() + 60 * 60_000);
  await run('own', async () => undefined);
  const remaining = await test.provenanceRows.list(userId, undefined, 10);
  expect(remaining.map(({ path }) => path)).toEqual(['home/kept.txt']);
});

it('the end of a program removes the provenance of deleted files even if their paths do not fit into one database command', async () => {
  const folder = Array.from({ length: 5 }, () => 'x'.repeat(190)).join('/');
  const deleted = Array.from({ length: 18_000 }, (_, index) => `home/${folder}/${index}.txt`);
  await test.provenanceRows.mark(userId, deleted, 'guest');
  test.now = new Date(Date.now() + 60 * 60_000);
  await run('own', async () => undefined);
  expect(await test.provenanceRows.list(userId, undefined, 1)).toEqual([]);
});

describe('a directory with thousands of foreign files', () => {
  const names = Array.from({ length: 6_000 }, (_, index) => `home/guests/${index}.txt`);

  beforeEach(() => test.provenanceRows.mark(userId, names, 'guest'));

  it('a program run in the user’s own turn is treated as having read all of thousands of foreign files', async () => {
    await write('outside', 'home/last.txt', 'foreign');
    const author = await run('own', () => rename(join(home, 'last.txt'), join(home, 'mine.txt')));
    expect(author).toBe('outside');
    expect(await authorOf('home/mine.txt')).toBe('outside');
  });

  it('while a program runs, every file is treated as having the lowest trust among thousands of foreign files', async () => {
    await write('own', 'home/kept.txt');
    const trace = await homes.programs.begin(userId, createId(), 'own');
    // Written by a turn while the program runs, so the program may have copied it.
    await test.provenanceRows.mark(userId, ['home/last.txt'], 'outside');
    expect(await authorOf('home/kept.txt')).toBe('outside');
    await homes.programs.end(trace);
  });

  it('the names in a folder with thousands of foreign files have the lowest trust among them', async () => {
    await test.provenanceRows.mark(userId, ['home/guests/last.txt'], 'outside');
    const author = (folder: string) =>
      homes.provenance.authorOfNames(userId, folder, ['last.txt', 'guests']);
    expect(await author('home/guests')).toBe('outside');
    expect(await author('home/other')).toBeUndefined();
  });

  it('a foreign write removes the provenance of deleted files, however many there are', async () => {
    await write('guest', 'home/guests/0.txt', 'foreign');
    test.now = new Date(Date.now() + 60 * 60_000);
    homes = await test.replica();
    await write('guest', 'home/last.txt', 'foreign');
    const remaining = await test.provenanceRows.list(userId, undefined, 10);
    expect(remaining.map(({ path }) => path)).toEqual(['home/guests/0.txt', 'home/last.txt']);
  });

  it('a foreign write that cannot check which files still exist fails before it stores anything; the next write skips the check', async () => {
    const files = { inodesOf: () => Promise.reject(new Error('the disk failed')) };
    const now = () => test.now;
    const rows = test.provenanceRows;
    const programs = {
      authorOfRunningPrograms: async () => undefined,
      mayHaveChanged: async () => false,
    };
    const provenance = new FileProvenance({ rows, programs, files, now });
    let isStored = false;
    const store = async () => {
      isStored = true;
    };
    const text = Buffer.from('foreign');
    const write = () => provenance.write(userId, 'home/a.txt', text, { trust: 'guest' }, store);
    await expect(write()).rejects.toThrow('the disk failed');
    expect(isStored).toBe(false);
    // The check is skipped for a while, so that a broken file cannot block every write.
    await write();
    expect(isStored).toBe(true);
  });
});

it('a user’s provenance is deleted with the user', async () => {
  await write('guest', 'home/a.txt');
  await homes.programs.begin(userId, createId(), 'guest');
  const other = await test.newUser(homes);
  await homes.write(other.userId, 'home/a.txt', Buffer.from('x'), { trust: 'guest' });
  await test.provenanceRows.deleteByUser(userId);
  await test.programTraces.deleteByUser(userId);
  expect(await test.provenanceRows.list(userId, undefined, 10)).toEqual([]);
  expect(await test.programTraces.list(userId)).toEqual([]);
  expect(await test.provenanceRows.list(other.userId, undefined, 10)).toHaveLength(1);
});
