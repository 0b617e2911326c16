import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ReadPositions } from './read-positions';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'positions-'));
  file = join(folder, 'config', 'chat-positions.json');
});
afterEach(() => rm(folder, { recursive: true }));

it('stores the last record shown in each chat in a file readable only by its owner', async () => {
  const positions = await ReadPositions.load(file);
  expect(positions.of('a')).toBeUndefined();
  positions.set('a', 3);
  positions.set('b', 9);
  positions.set('a', 2);
  await positions.saved();
  const later = await ReadPositions.load(file);
  expect([later.of('a'), later.of('b')]).toEqual([3, 9]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('a chat that stores its positions keeps those that another chat has stored in the meantime', async () => {
  const [first, second] = [await ReadPositions.load(file), await ReadPositions.load(file)];
  first.set('a', 5);
  await first.saved();
  second.set('b', 7);
  second.set('a', 1);
  await second.saved();
  const later = await ReadPositions.load(file);
  expect([later.of('a'), later.of('b')]).toEqual([5, 7]);
});

it('ignores a file that is not JSON, and the entries of a JSON file that are not positions', async () => {
  const positions = await ReadPositions.load(file);
  positions.set('a', 1);
  await positions.saved();
  await writeFile(file, '{"a":"x","b":-1,"c":4');
  expect((await ReadPositions.load(file)).of('c')).toBeUndefined();
  await writeFile(file, '{"a":"x","b":-1,"c":4}');
  const read = await ReadPositions.load(file);
  expect([read.of('a'), read.of('b'), read.of('c')]).toEqual([undefined, undefined, 4]);
});

it('keeps at most 1,000 positions, among them the newest one', async () => {
  const positions = await ReadPositions.load(file);
  for (let count = 0; count < 1_200; count += 1) positions.set(`agent${count}`, 1);
  await positions.saved();
  const stored = JSON.parse(await readFile(file, 'utf8')) as object;
  expect(Object.keys(stored)).toHaveLength(1_000);
  expect(stored).toHaveProperty('agent1199');
});
