import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextFileTimeIn } from './file-time';
import { Pin, using } from './pin';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'daycare-file-time-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const changeTimeOf = async (name: string): Promise<number> => {
  const path = join(directory, name);
  await writeFile(path, name);
  return (await stat(path)).ctimeMs;
};

it('the next file time is later than the times of all files written so far, and no later than the times of files written afterwards', async () => {
  const folder = await Pin.root(directory);
  if (!folder) throw new Error('the folder is missing');
  await using(folder, async () => {
    for (let round = 0; round < 20; round++) {
      const before = await changeTimeOf(`before-${round}`);
      const timeMs = await nextFileTimeIn(folder);
      expect(before).toBeLessThan(timeMs);
      expect(await changeTimeOf(`after-${round}`)).toBeGreaterThanOrEqual(timeMs);
    }
  });
});
