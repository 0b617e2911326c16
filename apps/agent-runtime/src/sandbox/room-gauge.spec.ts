import { beforeEach, expect, it } from '@jest/globals';
import { RoomGauge } from './room-gauge';

const gibibyte = 1024 ** 3;
const limits = { bytes: 1_000, entries: 100 };

let nowMs: number;
let size: typeof limits;
let free: typeof limits;
let walks: number;
let gauge: RoomGauge;

beforeEach(() => {
  [nowMs, walks] = [0, 0];
  size = { bytes: 900, entries: 90 };
  free = { bytes: gibibyte, entries: 5_000 };
  gauge = new RoomGauge({
    limits,
    nowMs: () => nowMs,
    freeOnDisk: async () => free,
    async measure() {
      walks++;
      nowMs += 100;
      return size;
    },
  });
});

/** How often it walks when it is asked for a second, every ten milliseconds. */
async function walksInASecond(): Promise<number> {
  const before = walks;
  for (const end = nowMs + 1_000; nowMs < end; nowMs += 10) await gauge.hasRoom('alice');
  return walks - before;
}

it('walks once for all who ask at the same time', async () => {
  const asked = Array.from({ length: 5 }, () => gauge.hasRoom('alice'));
  expect(await Promise.all(asked)).toEqual([true, true, true, true, true]);
  expect(walks).toBe(1);
});

it('pauses ten times as long as a walk took, for each user', async () => {
  await gauge.hasRoom('alice');
  expect(await walksInASecond()).toBe(0);
  expect(await walksInASecond()).toBe(1);
  await gauge.hasRoom('bob');
  expect(walks).toBe(3);
});

it.each([
  ['bytes', { bytes: 101, entries: 0 }],
  ['entries', { bytes: 0, entries: 11 }],
])('walks sooner when the disk has lost more %s than the user had left', async (_what, lost) => {
  await gauge.hasRoom('alice');
  free = { bytes: gibibyte - lost.bytes, entries: 5_000 - lost.entries };
  expect(await walksInASecond()).toBe(1);
});

it('walks at once when the disk has lost as much as the user may have besides', async () => {
  await gauge.hasRoom('alice');
  free = { bytes: gibibyte - 1_101, entries: 5_000 };
  await gauge.hasRoom('alice');
  expect(walks).toBe(2);
  expect(await walksInASecond()).toBe(0);
});

it.each([
  ['bytes', { bytes: 1_000, entries: 1 }],
  ['entries', { bytes: 1, entries: 100 }],
])('says when the user has too many %s, and looks again the next time', async (_what, found) => {
  size = found;
  expect(await gauge.hasRoom('alice')).toBe(false);
  size = { bytes: 1, entries: 1 };
  expect(await gauge.hasRoom('alice')).toBe(true);
});

it('says at once when the disk is nearly full', async () => {
  expect(await gauge.hasRoom('alice')).toBe(true);
  free = { bytes: 1_000, entries: 5_000 };
  expect(await gauge.hasRoom('alice')).toBe(false);
  expect(await gauge.isDiskFree()).toBe(false);
});
