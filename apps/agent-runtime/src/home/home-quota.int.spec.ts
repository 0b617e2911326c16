import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestHomes } from '../test-support/test-homes';
import type { UserHomes } from './user-homes';

const most = 20;
const refusal = {
  code: 'QUOTA_EXCEEDED',
  message: expect.stringContaining('20 files and folders'),
};

let test: TestHomes;
let homes: UserHomes;
let userId: string;
let directory: string;

beforeAll(async () => {
  test = await TestHomes.open();
  homes = await test.replica(1024 * 1024, most);
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ userId, directory } = await test.newUser(homes));
});

const write = (name: string) => homes.write(userId, `home/${name}`, Buffer.from('x'));
const used = async () => (await test.homeUse.find(userId))?.usedEntries;

/** As many folders as a program may make before anybody looks. */
async function makeFolders(count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await mkdir(join(directory, 'home/many', `${n}`), { recursive: true });
}

describe('the number of files and folders', () => {
  it('is counted through writing, replacing and removing', async () => {
    await write('a/b/c');
    await write('a/b/c');
    expect(await used()).toBe((await homes.measure(userId)).entries);
    await homes.remove(userId, 'home/a', { recursive: true });
    expect(await used()).toBe((await homes.measure(userId)).entries);
  });

  it('is not exceeded by many writes at once, and there is room again after a removal', async () => {
    const names = Array.from({ length: 2 * most }, (_, n) => `${n}`);
    await Promise.allSettled(names.map(write));
    const left = most - (await homes.measure(userId)).entries;
    expect(left).toBeGreaterThanOrEqual(0);
    for (let n = 0; n < left - 1; n++) await write(`more-${n}`);
    await expect(write('a/b/too/many')).rejects.toMatchObject(refusal);
    const [one, other] = (await homes.list(userId, 'home'))!;
    for (const { name } of [one!, other!]) await homes.remove(userId, `home/${name}`);
    await write('instead');
  });

  it('is not known beyond the limit: nothing is written until enough was removed', async () => {
    await makeFolders(2 * most);
    await homes.recount(userId);
    expect(await used()).toBe(Infinity);
    await expect(write('a')).rejects.toMatchObject(refusal);
    expect(await homes.hasRoom(userId)).toBe(false);
    await homes.remove(userId, 'home/many/0');
    await expect(write('a')).rejects.toMatchObject(refusal);
    await homes.remove(userId, 'home/many', { recursive: true });
    expect(await homes.hasRoom(userId)).toBe(true);
    await write('a');
    expect(await used()).toBe((await homes.measure(userId)).entries);
  });
});

describe('a user who is refused again and again', () => {
  const draft = (): string => join(directory, '.drafts', 'old');

  /** A walk clears what was left by writes that were cut off. */
  async function hasWalked(whenRefused: () => Promise<unknown>): Promise<boolean> {
    await writeFile(draft(), '');
    await utimes(draft(), 0, 0);
    await whenRefused();
    return (await readdir(join(directory, '.drafts'))).length === 0;
  }

  it('costs one walk in some seconds', async () => {
    await makeFolders(2 * most);
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
