import { useFixture } from '@daycare/testing/jest';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import { TestHomes } from '../../test-support/homes/test-homes';
import { HomeFiles } from '../disk/home-files';
import { ProgramProvenance } from './program-provenance';
import type { ProgramTrace } from '../store/program-trace-store';
import type { UserHomes } from './user-homes';

const test = useFixture(() => TestHomes.open());
let homes: UserHomes, userId: string, home: string;
beforeEach(async () => {
  ({ homes, userId, home } = await test.newHome());
});

const authorOf = async (path: string): Promise<Trust | undefined> =>
  (await homes.readWithAuthor(userId, path, 1_000))?.writtenBy;
const begin = (trust: Trust) => homes.programs.begin(userId, createId(), trust);

async function run(trust: Trust, program: () => Promise<unknown>): Promise<void> {
  const trace = await begin(trust);
  await program();
  await homes.programs.end(trace);
}

/** Ends a program; `interleaved` runs between the search for changes in `home` and the one in `apps`. */
async function endDuring(trace: ProgramTrace, interleaved: () => Promise<unknown>): Promise<void> {
  const files = new HomeFiles(test.usersDir);
  const changedSince: HomeFiles['changedSince'] = async (
    owner,
    [first = '', ...others],
    changes,
  ) => {
    const found = await files.changedSince(owner, [first], changes);
    await interleaved();
    return new Set([...found, ...(await files.changedSince(owner, others, changes))]);
  };
  const programs = new ProgramProvenance({
    rows: test.provenanceRows,
    traces: test.programTraces,
    files: {
      changedSince,
      nextFileTimeMs: (owner) => files.nextFileTimeMs(owner),
      inodesOf: (owner, paths) => files.inodesOf(owner, paths),
      read: (...args) => files.read(...args),
    },
    now: () => test.now,
  });
  await programs.end(trace);
}

/** Starts a guest's program, which writes a file. */
async function beginGuest(): Promise<ProgramTrace> {
  const guest = await begin('guest');
  await mkdir(join(home, '../apps/game'));
  await writeFile(join(home, '../apps/game/rules.txt'), 'foreign');
  return guest;
}

/** Moves the folder of the guest's file to `home`, which has already been searched for changes. */
const move = () => rename(join(home, '../apps/game'), join(home, 'game'));

it('a guest’s file stays foreign even if a program that is still running moves its folder during the search for the guest’s changes', async () => {
  const guest = await beginGuest();
  const other = await begin('own');
  await endDuring(guest, move);
  await move().catch(() => undefined);
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  await homes.programs.end(other);
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('a guest’s file stays foreign even if its folder is moved by a program that starts during the search for the guest’s changes', async () => {
  const guest = await beginGuest();
  const others: ProgramTrace[] = [];
  await endDuring(guest, async () => {
    others.push(await begin('own'));
    await move();
  });
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  for (const other of others) await homes.programs.end(other);
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('a guest’s file stays foreign even if a program starts, moves its folder and ends during the search for the guest’s changes', async () => {
  await endDuring(await beginGuest(), () => run('own', move));
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('the changes of a program that ends during the search for another program’s changes are marked, even if its replica dies first', async () => {
  const guest = await beginGuest();
  await endDuring(guest, async () => {
    const trace = await begin('outside');
    await writeFile(join(home, 'late.txt'), 'foreign');
    await test.programTraces.addToEnded(trace, 'outside');
  });
  // The replica that ended this program has died before it searched for the program's changes.
  test.now = new Date(Date.now() + 11 * 60_000);
  expect(await authorOf('home/late.txt')).toBe('outside');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('a program is treated as having read a guest’s file that existed only while it ran', async () => {
  const reader = await begin('own');
  await run('guest', async () => {
    await writeFile(join(home, 'brief.txt'), 'foreign');
    await rm(join(home, 'brief.txt'));
  });
  await writeFile(join(home, 'copy.txt'), 'foreign');
  expect(await homes.programs.end(reader)).toBe('guest');
  expect(await authorOf('home/copy.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('programs that end while another one runs share a single trace, which is removed when the other one ends', async () => {
  const last = await begin('own');
  for (const trust of ['guest', 'outside', 'guest'] as const)
    await run(trust, () => writeFile(join(home, `${trust}.txt`), 'foreign'));
  expect(await test.programTraces.list(userId)).toHaveLength(2);
  await homes.programs.end(last);
  expect(await test.programTraces.list(userId)).toEqual([]);
  expect(await authorOf('home/guest.txt')).toBe('outside');
});

it('after a replica dies while a program runs, what other programs wrote in the meantime is still found', async () => {
  await begin('own');
  await run('guest', () => writeFile(join(home, 'new.txt'), 'foreign'));
  test.now = new Date(Date.now() + 11 * 60_000);
  expect(await authorOf('home/new.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

describe('text that the user’s own turn writes while programs run', () => {
  const path = 'home/notes.md';
  const writeOwn = () => homes.write(userId, path, Buffer.from('mine'));
  const authorOfName = () => homes.provenance.authorOfNames(userId, 'home', ['notes.md']);

  it('what the user’s own turn writes after a guest’s program has ended stays the user’s own, and so does its name, although another program still runs', async () => {
    const own = await begin('own');
    await run('guest', async () => undefined);
    await writeOwn();
    expect(await authorOf(path)).toBeUndefined();
    await homes.programs.end(own);
    expect(await authorOf(path)).toBeUndefined();
    expect(await authorOfName()).toBeUndefined();
    expect(await test.programTraces.list(userId)).toEqual([]);
  });

  it('what the user’s own turn writes stays the user’s own although a guest’s program starts afterwards and programs overlap for a long time', async () => {
    let last = await begin('own');
    await writeOwn();
    await run('guest', async () => undefined);
    for (let count = 0; count < 3; count += 1) {
      const next = await begin('own');
      await homes.programs.end(last);
      last = next;
      expect(await authorOf(path)).toBeUndefined();
    }
    await homes.programs.end(last);
    expect(await authorOf(path)).toBeUndefined();
    expect(await authorOfName()).toBeUndefined();
  });

  it('what the user’s own turn writes while a guest’s program runs is the user’s own until that program changes it', async () => {
    const guest = await begin('guest');
    await writeOwn();
    expect(await authorOf(path)).toBeUndefined();
    await appendFile(join(home, 'notes.md'), ' and theirs');
    expect(await authorOf(path)).toBe('guest');
    await homes.programs.end(guest);
    expect(await authorOf(path)).toBe('guest');
    expect(await authorOfName()).toBe('guest');
    await writeOwn();
    expect(await authorOf(path)).toBeUndefined();
  });

  it.each([
    ['changed it', () => writeFile(join(home, 'notes.md'), 'foreign')],
    [
      'moved another file there',
      async () => {
        await writeFile(join(home, 'other.md'), 'foreign');
        await rename(join(home, 'other.md'), join(home, 'notes.md'));
      },
    ],
  ])(
    'what the user’s own turn wrote while a program ran is foreign once a guest’s later program has %s',
    async (_, change) => {
      const own = await begin('own');
      await writeOwn();
      await homes.programs.end(own);
      expect(await authorOf(path)).toBeUndefined();
      const other = await begin('own');
      await run('guest', change);
      expect(await authorOf(path)).toBe('guest');
      await homes.programs.end(other);
      expect(await authorOf(path)).toBe('guest');
    },
  );

  it('what a guest’s program writes to a file is foreign, even if the user’s own turn writes the file at the same time', async () => {
    const guest = await begin('guest');
    const foreign = () => writeFile(join(home, 'notes.md'), 'foreign');
    const own = () => writeFile(join(home, 'notes.md'), 'mine');
    const write = (steps: () => Promise<void>) =>
      homes.provenance.write(userId, path, Buffer.from('mine'), {}, steps);
    await write(async () => {
      await foreign();
      expect(await authorOf(path)).toBe('guest');
      await own();
      expect(await authorOf(path)).toBeUndefined();
      await foreign();
    });
    expect(await authorOf(path)).toBe('guest');
    const dies = async () => Promise.reject(new Error('killed'));
    await expect(write(dies)).rejects.toThrow('killed');
    await homes.programs.end(guest);
    expect(await authorOf(path)).toBe('guest');
  });

  const setBack = (collection: string, field: string, hours: number) =>
    test.mongo.db
      .collection(collection)
      .updateMany({}, { $set: { [field]: new Date(Date.now() - hours * 60 * 60_000) } });

  it('what the user’s own turn wrote while a guest’s program ran stays the user’s own although the replica died and nothing was read for an hour', async () => {
    await begin('guest');
    await writeOwn();
    await setBack('program_traces', 'startedAt', 2);
    await setBack('file_provenance', 'markedAt', 1);
    expect(await authorOf(path)).toBeUndefined();
    expect(await test.programTraces.list(userId)).toEqual([]);
    expect(await authorOf(path)).toBeUndefined();
  });

  it('the provenance of what the user’s own turn wrote while a program ran is removed when a later program ends while no other one runs', async () => {
    const own = await begin('own');
    await writeOwn();
    await homes.programs.end(own);
    await run('own', async () => undefined);
    const rows = () => test.provenanceRows.list(userId, undefined, 10);
    expect(await rows()).toMatchObject([{ path, trust: 'own' }]);
    await setBack('file_provenance', 'markedAt', 1);
    const first = await begin('own');
    await run('own', async () => undefined);
    expect(await rows()).toHaveLength(1);
    await homes.programs.end(first);
    expect(await rows()).toEqual([]);
  });
});
