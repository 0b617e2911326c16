import { describe, expect, it } from '@jest/globals';
import { ratiosOf } from './ratio';
import type { Result } from './result';

const cell = (inFlight: number, requestsPerSecond: number) => ({
  ...{ inFlight, requestsPerSecond },
  ...{ requests: 1, p50Ms: 1, p99Ms: 1, errors: 0 },
});

const results: Result[] = [
  { name: 'echo', baseline: [], busyBefore: 0, cells: [cell(1, 2_000), cell(16, 5_000)] },
  { name: 'insert', baseline: [], busyBefore: 0, cells: [cell(1, 500), cell(16, 0)] },
];

describe('ratiosOf', () => {
  it('compares with every baseline at the same concurrency', () => {
    expect(ratiosOf(cell(1, 400), ['insert', 'echo'], results)).toEqual([
      { baseline: 'insert', ratio: 0.8 },
      { baseline: 'echo', ratio: 0.2 },
    ]);
  });

  it('leaves out what was not measured and what answered nothing', () => {
    expect(ratiosOf(cell(64, 400), ['echo'], results)).toEqual([]);
    expect(ratiosOf(cell(16, 400), ['insert', 'publish'], results)).toEqual([]);
  });
});
