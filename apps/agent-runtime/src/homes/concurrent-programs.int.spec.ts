import { useFixture } from '@daycare/testing/jest';
import { beforeEach, expect, it } from '@jest/globals';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import { TestHomes } from '../test-support/homes/test-homes';
import { HomeFiles } from './disk/home-files';
import { ProgramProvenance } from './program-provenance';
import type { ProgramTrace } from './store/program-trace-store';
import type { UserHomes } from './user-homes';

const test = useFixture(() => TestHomes.open());
let homes: UserHomes;
let userId: string;
let home: string;

beforeEach(async () => {
  test.now = new Date();
  homes = await test.replica();
  const user = await test.newUser(homes);
  ({ userId } = user);
  home = join(user.directory, 'home');
});

const authorOf = async (path: string): Promise<Trust | undefined> =>
  (await homes.readWithAuthor(userId, path, 1_000))?.writtenBy;
const begin = (trust: Trust) => homes.programs.begin(userId, createId(), trust);

async function run(trust: Trust, program: () => Promise<unknown>): Promise<void> {
  const trace = await begin(trust);
  await program();
  await homes.programs.end(trace);
}

/** Ends a program; `meanwhile` runs while the end looks for changes: in `apps` only after `home`. */
async function endDuring(trace: ProgramTrace, meanwhile: () => Promise<unknown>): Promise<void> {
  const files = new HomeFiles(test.usersDir);
  const changedSince: HomeFiles['changedSince'] = async (
    owner,
    [first = '', ...others],
    changes,
  ) => {
    const found = await files.changedSince(owner, [first], changes);
    await meanwhile();
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

/** Moves the folder of that file to where changes have already been looked for. */
const move = () => rename(join(home, '../apps/game'), join(home, 'game'));

it('a guest’s file stays foreign although another program moves its folder when the guest’s program ends', async () => {
  const guest = await beginGuest();
  const other = await begin('own');
  await endDuring(guest, move);
  await move().catch(() => undefined);
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  await homes.programs.end(other);
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('a guest’s file stays foreign although a program that starts after the guest’s program has ended moves its folder', async () => {
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

it('a guest’s file stays foreign although a program moves its folder and ends while changes are looked for', async () => {
  await endDuring(await beginGuest(), () => run('own', move));
  expect(await authorOf('home/game/rules.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('the changes of a program that ends while those of another one are looked for are marked, too', async () => {
  const guest = await beginGuest();
  await endDuring(guest, async () => {
    const trace = await begin('outside');
    await writeFile(join(home, 'late.txt'), 'foreign');
    await test.programTraces.addToEnded(trace, 'outside');
  });
  // The replica that ended it has died before it looked for changes.
  test.now = new Date(Date.now() + 11 * 60_000);
  expect(await authorOf('home/late.txt')).toBe('outside');
  expect(await test.programTraces.list(userId)).toEqual([]);
});

it('a program counts as having read a guest’s file that existed only while it ran', async () => {
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

it('of many programs that end while another one runs, one trace remains', async () => {
  const last = await begin('own');
  for (const trust of ['guest', 'outside', 'guest'] as const)
    await run(trust, () => writeFile(join(home, `${trust}.txt`), 'foreign'));
  expect(await test.programTraces.list(userId)).toHaveLength(2);
  await homes.programs.end(last);
  expect(await test.programTraces.list(userId)).toEqual([]);
  expect(await authorOf('home/guest.txt')).toBe('outside');
});

it('after a replica dies while a program runs, what others wrote meanwhile is found, too', async () => {
  await begin('own');
  await run('guest', () => writeFile(join(home, 'new.txt'), 'foreign'));
  test.now = new Date(Date.now() + 11 * 60_000);
  expect(await authorOf('home/new.txt')).toBe('guest');
  expect(await test.programTraces.list(userId)).toEqual([]);
});
