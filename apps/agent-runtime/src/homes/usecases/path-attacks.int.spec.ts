import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { harmlessNames, refusedPaths } from '../../test-support/homes/attack-paths';
import {
  device,
  mayMakeDevices,
  plantNeighbour,
  traps,
  type Trap,
} from '../../test-support/homes/path-traps';
import { fingerprint, TestHomes } from '../../test-support/homes/test-homes';
import type { UserHomes } from './user-homes';

const maxBytes = 1_000_000;
const marker = 'written by the attacker';

let test: TestHomes;
let homes: UserHomes;
let neighbour: string;

beforeAll(async () => {
  test = await TestHomes.open();
  homes = await test.replica();
  neighbour = (await test.newUser(homes)).directory;
  await plantNeighbour(neighbour);
});
afterAll(() => test.close());

const operations = {
  read: async (userId: string, path: string) =>
    (await homes.read(userId, path, maxBytes))?.toString(),
  list: async (userId: string, path: string) => JSON.stringify(await homes.list(userId, path)),
  write: async (userId: string, path: string) =>
    homes.write(userId, path, Buffer.from(marker)).then(() => 'written'),
  remove: async (userId: string, path: string) => homes.remove(userId, path).then(String),
  removeAll: async (userId: string, path: string) =>
    homes.remove(userId, path, { recursive: true }).then(String),
} as const;

type Operation = keyof typeof operations;
const allOperations = Object.keys(operations) as Operation[];

const outsideFingerprint = (): string => fingerprint(test.outside) + fingerprint(neighbour);

/** Returns the result of an attempt or the error code of its refusal. Any other error fails the test. */
async function attempt(operation: Operation, userId: string, path: string): Promise<string> {
  try {
    return (await operations[operation](userId, path)) ?? 'nothing';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('refused paths and users', () => {
  let userId: string;
  beforeAll(async () => {
    ({ userId } = await test.newUser(homes));
  });

  const named = refusedPaths.map((path) => [JSON.stringify(path).slice(0, 60), path] as const);
  it.each(named)('every operation refuses the path %s', async (_, path) => {
    const before = outsideFingerprint();
    for (const operation of allOperations)
      expect([operation, await attempt(operation, userId, path)]).toEqual([
        operation,
        'INVALID_ARGUMENT',
      ]);
    expect(outsideFingerprint()).toBe(before);
  });

  it.each(['..', '../users', 'a/b', '', '.', 'A1', 'a', '/etc', 'a\0', 'a'.repeat(65)])(
    'every operation refuses the user id %j',
    async (id) => {
      for (const operation of allOperations)
        expect(await attempt(operation, id, 'home/canary.txt')).toBe('INVALID_ARGUMENT');
      await expect(homes.ensure(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expect(homes.deleteByUser(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expect(homes.directoryOf(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    },
  );

  it.each(['home', 'skills', 'apps', 'memory'])(
    'the top-level folder %s itself can be neither overwritten nor deleted',
    async (path) => {
      expect(await attempt('write', userId, path)).toBe('INVALID_ARGUMENT');
      expect(await attempt('remove', userId, path)).toBe('INVALID_ARGUMENT');
    },
  );
});

describe('names that look like escapes', () => {
  let userId: string;
  let folder: string;
  beforeAll(async () => {
    const user = await test.newUser(homes);
    userId = user.userId;
    folder = join(user.directory, 'home');
  });

  it.each(harmlessNames)(
    'a file named %j can be written, read and deleted like any other',
    async (name) => {
      const before = outsideFingerprint();
      const path = `home/${name}`;
      expect(await attempt('write', userId, path)).toBe('written');
      expect(await readdir(folder)).toEqual([name]);
      expect(await attempt('read', userId, path)).toBe(marker);
      expect(await attempt('remove', userId, path)).toBe('true');
      expect(await readdir(folder)).toEqual([]);
      expect(outsideFingerprint()).toBe(before);
    },
  );
});

describe("traps in a user's directory", () => {
  const harmlessOutcomes = [
    'nothing',
    'false',
    'true',
    'FAILED_PRECONDITION',
    'CONFLICT',
    'written',
    marker,
  ];

  async function springTrap([, plant, paths]: Trap): Promise<void> {
    const { userId, directory } = await test.newUser(homes);
    await plant({ directory, outside: test.outside, neighbour });
    const before = outsideFingerprint();
    for (const operation of allOperations) {
      // In reverse, so that removing one entry does not prevent the other attempts.
      for (const path of [...paths].reverse()) {
        const outcome = await attempt(operation, userId, path);
        expect(outcome).not.toContain('canary');
        if (operation !== 'list') expect(harmlessOutcomes).toContain(outcome);
        expect([operation, path, outsideFingerprint()]).toEqual([operation, path, before]);
      }
    }
    await homes.measure(userId);
    await homes.deleteByUser(userId);
    expect(outsideFingerprint()).toBe(before);
    await rm(directory, { recursive: true, force: true });
  }

  it.each(traps)(
    'nothing outside the user’s directory is read or changed through %s',
    async (...trap) => springTrap(trap),
  );

  // A device can be planted only where this process may create one.
  if (mayMakeDevices)
    it('nothing outside the user’s directory is read or changed through a device', async () =>
      springTrap(device));
});
