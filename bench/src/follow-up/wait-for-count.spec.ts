import { describe, expect, it } from '@jest/globals';
import { waitUntilNoneLeft } from './wait-for-count';

const countDown = (counts: number[]) => async (): Promise<number> =>
  counts.length > 1 ? counts.shift()! : counts[0]!;

describe('waitUntilNoneLeft', () => {
  it('resolves once nothing is left', async () => {
    const counts = [3, 3, 1, 0];
    await waitUntilNoneLeft(countDown(counts), { intervalMs: 1, maxStallMs: 1_000 });
    expect(counts).toEqual([0]);
  });

  it('fails if the count does not change for too long', async () => {
    const waiting = waitUntilNoneLeft(countDown([9, 2]), { intervalMs: 1, maxStallMs: 5 });
    await expect(waiting).rejects.toThrow('2 accepted operations were not finished');
  });
});
