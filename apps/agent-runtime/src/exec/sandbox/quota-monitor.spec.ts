import { beforeEach, expect, it } from '@jest/globals';
import { QuotaMonitor } from './quota-monitor';

const gibibyte = 1024 ** 3;
const limits = { bytes: 1_000, entries: 100 };

let nowMs: number;
let size: typeof limits;
let free: typeof limits;
let walks: number;
let monitor: QuotaMonitor;

beforeEach(() => {
  [nowMs, walks] = [0, 0];
  size = { bytes: 900, entries: 90 };
  free = { bytes: gibibyte, entries: 5_000 };
  monitor = new QuotaMonitor({
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

/** Calls the monitor every ten milliseconds for a second; returns how many walks it makes. */
async function walksInASecond(): Promise<number> {
  const before = walks;
  for (const end = nowMs + 1_000; nowMs < end; nowMs += 10) await monitor.hasRoom('alice');
  return walks - before;
}

it('one walk of a user’s directory serves all concurrent callers', async () => {
  const answers = Array.from({ length: 5 }, () => monitor.hasRoom('alice'));
  expect(await Promise.all(answers)).toEqual([true, true, true, true, true]);
  expect(walks).toBe(1);
});

it('a quota monitor pauses between walks for ten times as long as the last walk took, separately for each user', async () => {
  await monitor.hasRoom('alice');
  expect(await walksInASecond()).toBe(0);
  expect(await walksInASecond()).toBe(1);
  await monitor.hasRoom('bob');
  expect(walks).toBe(3);
});

it.each([
  ['bytes', { bytes: 101, entries: 0 }],
  ['entries', { bytes: 0, entries: 11 }],
])(
  'a quota monitor shortens its pause between walks when the disk has lost more free %s than the user’s quota had left',
  async (_what, lost) => {
    await monitor.hasRoom('alice');
    free = { bytes: gibibyte - lost.bytes, entries: 5_000 - lost.entries };
    expect(await walksInASecond()).toBe(1);
  },
);

it("a quota monitor walks at once when the disk has lost more free space than the user's remaining quota plus the whole quota", async () => {
  await monitor.hasRoom('alice');
  free = { bytes: gibibyte - 1_101, entries: 5_000 };
  await monitor.hasRoom('alice');
  expect(walks).toBe(2);
  expect(await walksInASecond()).toBe(0);
});

it.each([
  ['bytes', { bytes: 1_000, entries: 1 }],
  ['entries', { bytes: 1, entries: 100 }],
])(
  'a quota monitor reports that a user with too many %s has no room, and measures again on the next call',
  async (_what, measured) => {
    size = measured;
    expect(await monitor.hasRoom('alice')).toBe(false);
    size = { bytes: 1, entries: 1 };
    expect(await monitor.hasRoom('alice')).toBe(true);
  },
);

it('a quota monitor reports that there is no room as soon as the disk is nearly full', async () => {
  expect(await monitor.hasRoom('alice')).toBe(true);
  free = { bytes: 1_000, entries: 5_000 };
  expect(await monitor.hasRoom('alice')).toBe(false);
  expect(await monitor.hasFreeDiskSpace()).toBe(false);
});
