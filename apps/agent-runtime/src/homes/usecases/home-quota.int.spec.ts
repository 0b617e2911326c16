import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestHomes } from '../../test-support/homes/test-homes';
import { makeUploadQuota } from './upload-quota';
import type { UserHomes } from './user-homes';

const maxEntries = 20;
const hourMs = 60 * 60_000;
const wideLimits = { bytes: 1024 * 1024, entries: 1_000 };
const refusal = {
  code: 'QUOTA_EXCEEDED',
  message: expect.stringContaining('20 files and folders'),
};

let test: TestHomes;
let homes: UserHomes;
let userId: string;
let directory: string;

beforeAll(async () => {
  ({ test, homes } = await TestHomes.openWith(1024 * 1024, maxEntries));
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ userId, directory } = await test.newUser(homes));
});

const write = (name: string) => homes.write(userId, `home/${name}`, Buffer.from('x'));
const usedEntryCount = async () => (await test.usageOf(userId))?.usedEntries;

/** Creates folders without any check, as a program may between two checks. */
async function makeFolders(count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await mkdir(join(directory, 'home/many', `${n}`), { recursive: true });
}

describe('the limit on files and folders', () => {
  it('the entry count stays correct when entries are written, replaced and deleted', async () => {
    await write('a/b/c');
    await write('a/b/c');
    expect(await usedEntryCount()).toBe((await homes.measure(userId)).entries);
    await homes.remove(userId, 'home/a', { recursive: true });
    expect(await usedEntryCount()).toBe((await homes.measure(userId)).entries);
  });

  it('many concurrent writes do not exceed the entry limit, and deleting entries makes room for new ones', async () => {
    const names = Array.from({ length: 2 * maxEntries }, (_, n) => `${n}`);
    await Promise.allSettled(names.map(write));
    const freeEntries = maxEntries - (await homes.measure(userId)).entries;
    expect(freeEntries).toBeGreaterThanOrEqual(0);
    for (let n = 0; n < freeEntries - 1; n++) await write(`more-${n}`);
    await expect(write('a/b/too/many')).rejects.toMatchObject(refusal);
    const [one, other] = (await homes.list(userId, 'home'))!;
    for (const { name } of [one!, other!]) await homes.remove(userId, `home/${name}`);
    await write('instead');
  });

  it('while there are more entries than can be counted, writes are refused until enough are deleted', async () => {
    await makeFolders(2 * maxEntries);
    await homes.recount(userId);
    expect(await usedEntryCount()).toBe(Infinity);
    await expect(write('a')).rejects.toMatchObject(refusal);
    expect(await homes.hasRoom(userId)).toBe(false);
    await homes.remove(userId, 'home/many/0');
    await expect(write('a')).rejects.toMatchObject(refusal);
    await homes.remove(userId, 'home/many', { recursive: true });
    expect(await homes.hasRoom(userId)).toBe(true);
    await write('a');
    expect(await usedEntryCount()).toBe((await homes.measure(userId)).entries);
  });
});

describe('a user who is refused repeatedly', () => {
  const draft = (): string => join(directory, '.drafts', 'old');

  /** Reports whether the attempt walked the directory: a walk deletes drafts from interrupted writes. */
  async function hasWalked(attempt: () => Promise<unknown>): Promise<boolean> {
    await writeFile(draft(), '');
    await utimes(draft(), 0, 0);
    await attempt();
    return (await readdir(join(directory, '.drafts'))).length === 0;
  }

  it('repeated refusals cost at most one directory walk every few seconds', async () => {
    await makeFolders(2 * maxEntries);
    const refuse = () => expect(write('a')).rejects.toMatchObject(refusal);
    const ask = () => expect(homes.hasRoom(userId)).resolves.toBe(false);
    expect(await hasWalked(refuse)).toBe(true);
    expect(await hasWalked(refuse)).toBe(false);
    expect(await hasWalked(ask)).toBe(false);
    test.now = new Date(test.now.getTime() + 5_000);
    expect(await hasWalked(ask)).toBe(true);
    expect(await hasWalked(refuse)).toBe(false);
  });
});

describe('an owner and its subusers', () => {
  /** The owner and its subusers, each with a directory that has been measured. */
  async function newFamily(subusers: number): Promise<string[]> {
    const family = [userId];
    for (let count = 0; count < subusers; count++) {
      const subuser = await test.newUser(homes);
      test.owners.set(subuser.userId, userId);
      family.push(subuser.userId);
    }
    for (const each of family) await homes.recount(each);
    return family;
  }
  const entriesOf = async (family: readonly string[]): Promise<number> => {
    const sizes = await Promise.all(family.map((each) => homes.measure(each)));
    return sizes.reduce((sum, { entries }) => sum + entries, 0);
  };
  const total = async () => (await test.homeUsage.findTotal({ ownerId: userId, userId }))?.entries;

  it('an owner and its subusers share one quota, even when many of them write concurrently', async () => {
    const family = await newFamily(2);
    const replicas = [homes, await test.replica(1024 * 1024, maxEntries)];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        replicas[n % 2]!.write(family[n % 3]!, `home/${n}`, Buffer.from('x')),
      ),
    );
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    const entries = await entriesOf(family);
    expect(entries).toBeLessThanOrEqual(maxEntries);
    expect(await total()).toBeGreaterThanOrEqual(entries);
  });

  it('deleting a subuser frees its space for another subuser of the same owner', async () => {
    const [owner = '', one = '', other = ''] = await newFamily(2);
    await homes.write(one, 'home/a', Buffer.from('x'));
    await expect(homes.write(other, 'home/a', Buffer.from('x'))).rejects.toMatchObject(refusal);
    await homes.deleteByUser(one);
    await test.homeUsage.deleteByUser(one);
    test.now = new Date(test.now.getTime() + 6_000);
    await homes.write(other, 'home/a', Buffer.from('x'));
    expect(await total()).toBe(await entriesOf([owner, other]));
  });

  it('an interrupted write by one subuser does not block another subuser of the same owner', async () => {
    const [, one = '', other = ''] = await newFamily(2);
    const at = new Date(test.now.getTime() - 60 * 60_000);
    const part = { ownerId: userId, userId: one };
    const room = { bytes: 4_096, entries: 5 };
    await test.homeUsage.reserve(part, { id: 'cut-off', ...room, at }, wideLimits);
    await homes.write(other, 'home/a', Buffer.from('x'));
  });

  it('the space of a file that one subuser’s program has deleted can be used by another subuser of the same owner', async () => {
    const [, one = '', other = ''] = await newFamily(2);
    await homes.write(one, 'home/a', Buffer.from('x'));
    await rm(join(test.usersDir, one, 'home/a'));
    await homes.write(other, 'home/a', Buffer.from('x'));
    expect(await total()).toBe(await entriesOf([userId, one, other]));
  });

  it('uploads by an owner and its subusers count against the same quota as their files', async () => {
    const [owner = '', one = ''] = await newFamily(1);
    let stored = { bytes: 0, entries: 0 };
    const uploads = makeUploadQuota({
      homeUsage: test.homeUsage,
      limits: homes.limits,
      ownerOf: test.ownerOf,
      measure: async (_, kind) => (kind === 'uploads' ? stored : undefined),
      now: () => test.now,
    });
    const freeEntries = maxEntries - (await entriesOf([owner, one]));
    const reservation = await uploads.take(one, { bytes: 1, entries: freeEntries });
    await expect(write('a')).rejects.toMatchObject(refusal);
    await expect(uploads.take(owner, { bytes: 1, entries: 1 })).rejects.toMatchObject(refusal);
    stored = { bytes: 1, entries: freeEntries };
    await reservation.settle(stored);
    test.now = new Date(test.now.getTime() + 5_000);
    await expect(write('a')).rejects.toMatchObject(refusal);
    stored = { bytes: 0, entries: 0 };
    await uploads.recount(one);
    await write('a');
  });

  it('an upload’s reservation survives recounts for as long as an upload may take; a later recount drops it', async () => {
    const part = { ownerId: userId, userId, kind: 'uploads' as const };
    const measure = async () => ({ bytes: 0, entries: 0 });
    const { ownerOf, homeUsage } = test;
    const now = () => test.now;
    const uploads = makeUploadQuota({ homeUsage, limits: wideLimits, ownerOf, measure, now });
    await uploads.take(userId, { bytes: 100, entries: 1 });
    test.now = new Date(test.now.getTime() + 25 * hourMs);
    await uploads.recount(userId);
    expect(await homeUsage.find(part)).toMatchObject({ usedBytes: 100, usedEntries: 1 });
    test.now = new Date(test.now.getTime() + hourMs);
    await uploads.recount(userId);
    expect(await homeUsage.find(part)).toMatchObject({ usedBytes: 0, usedEntries: 0, pending: [] });
  });
});

describe("an owner's usage document", () => {
  it.each(['', 'a', 'a.b', '$where', 'usedBytes', '__proto__', 'a-uploads', 'a\0b'])(
    'refuses the invalid user id %j as a field name',
    async (invalidId) => {
      const part = { ownerId: userId, userId: invalidId };
      const attempts = [
        () => test.homeUsage.find(part),
        () => test.homeUsage.findTotal(part),
        () =>
          test.homeUsage.reserve(part, { id: 'r', bytes: 1, entries: 1, at: test.now }, wideLimits),
        () =>
          test.homeUsage.recount(part, undefined, { usedBytes: 0, usedEntries: 0, pending: [] }),
        () => test.homeUsage.deleteByUser(invalidId),
      ];
      await homes.recount(userId);
      for (const attempt of attempts)
        await expect(attempt()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(await test.homeUsage.listParts(userId)).toEqual([{ ownerId: userId, userId }]);
    },
  );

  it('a look-up does not mistake an inherited object property, such as `constructor`, for a user', async () => {
    await homes.recount(userId);
    const part = { ownerId: userId, userId: 'constructor' };
    expect(await test.homeUsage.find(part)).toBeUndefined();
    expect(await test.homeUsage.findTotal(part)).toBeUndefined();
  });
});
