import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canary, fingerprint, TestHomes } from '../../test-support/homes/test-homes';
import { HomeFiles } from '../disk/home-files';
import { errorCodeOf } from '../disk/pin';

const maxMs = 3_000;
const maxRounds = 4_000;
const concurrency = 8;

/**
 * Swaps a folder for a link to the outside and back, as fast as possible. A write may create the folder
 * while it is swapped out; that new folder is removed.
 */
const swapScript = `
const { renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
const [folder, aside, ...targets] = process.argv.slice(1);
const steps = [
  () => renameSync(folder, aside),
  (round) => symlinkSync(targets[round % targets.length], folder),
  () => unlinkSync(folder),
  () => renameSync(aside, folder),
];
process.stdout.write('ready');
for (let round = 0; ; round++)
  try {
    for (const step of steps) step(round);
  } catch {
    rmSync(folder, { recursive: true, force: true });
    try { renameSync(aside, folder); } catch {}
  }`;

let test: TestHomes;
let files: HomeFiles;

beforeAll(async () => {
  test = await TestHomes.open();
  files = new HomeFiles(test.usersDir);
});
afterAll(() => test.close());

interface Swapping {
  stop(): Promise<unknown>;
}

async function startSwapping(folder: string): Promise<Swapping> {
  const targets = [test.outside, '../../../outside'];
  const args = ['-e', swapScript, folder, `${folder}-aside`, ...targets];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    stop: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Repeats the attempts concurrently and returns their distinct outcomes; refusals are fine. */
async function repeatConcurrently(
  attempts: readonly (() => Promise<unknown>)[],
): Promise<Set<string>> {
  const outcomes = new Set<string>();
  const endsAt = Date.now() + maxMs;
  let round = 0;
  const repeat = async (): Promise<void> => {
    while (round < maxRounds && Date.now() < endsAt) {
      const attempt = attempts[round++ % attempts.length]!;
      const outcome = await attempt().catch((error: unknown) => errorCodeOf(error));
      outcomes.add(String(outcome));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, repeat));
  return outcomes;
}

it('a path through a folder that is constantly swapped for a link never leads outside', async () => {
  const userId = 'racer1';
  await files.ensure(userId);
  const folder = join(test.usersDir, userId, 'home', 'swapped');
  await mkdir(join(folder, 'folder', 'empty'), { recursive: true });
  for (const name of ['canary.txt', 'folder/canary.txt', 'canary.md'])
    await writeFile(join(folder, name), 'mine');
  const before = fingerprint(test.outside);
  const path = (...names: string[]): string[] => ['home', 'swapped', ...names];
  expect((await files.read(userId, path('canary.txt'), 100))?.toString()).toBe('mine');
  const swapping = await startSwapping(folder);
  const written = Buffer.from('mine');
  try {
    const outcomes = await repeatConcurrently([
      async () => (await files.read(userId, path('canary.txt'), 100))?.toString(),
      async () => (await files.read(userId, path('folder', 'canary.txt'), 100))?.toString(),
      () => files.write(userId, path('canary.txt'), written, () => undefined),
      () => files.write(userId, path('folder', 'new.txt'), written, () => undefined),
      () => files.write(userId, path('made', 'new.txt'), written, () => undefined),
      () => files.remove(userId, path('canary.md')),
      () => files.remove(userId, path('folder', 'empty')),
      () => files.remove(userId, path('folder'), { recursive: true }),
      () => files.remove(userId, path('made'), { recursive: true }),
      async () => (await files.list(userId, path()))?.length,
      () => files.measure(userId),
    ]);
    expect([...outcomes].join()).not.toContain(canary);
    // Proves that some attempts happened during a swap.
    expect(outcomes).toContain('FAILED_PRECONDITION');
    expect(fingerprint(test.outside)).toBe(before);
  } finally {
    await swapping.stop();
  }
  await files.deleteByUser(userId);
  expect(fingerprint(test.outside)).toBe(before);
});

it('deleting a user’s directory while a folder in it is being swapped for a link deletes nothing outside', async () => {
  const userId = 'racer2';
  await files.ensure(userId);
  const folder = join(test.usersDir, userId, 'home', 'swapped');
  await mkdir(join(folder, 'folder'), { recursive: true });
  await symlink(test.outside, join(folder, 'folder', 'out'));
  const before = fingerprint(test.outside);
  const swapping = await startSwapping(folder);
  await files.deleteByUser(userId).catch(() => undefined);
  await swapping.stop();
  await files.deleteByUser(userId);
  expect(await files.list(userId, ['home'])).toBeUndefined();
  expect(fingerprint(test.outside)).toBe(before);
});
