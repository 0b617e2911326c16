import { describe, expect, it } from '@jest/globals';
import { makeCell } from '../test-support/make-cell';
import { ratiosOf } from './ratio';
import type { Result } from '../measure/result';

const cell = (inFlight: number, requestsPerSecond: number) =>
  makeCell({ inFlight, requestsPerSecond });

const results: Result[] = [
  { name: 'echo', baseline: [], busyBefore: 0, cells: [cell(1, 2_000), cell(16, 5_000)] },
  { name: 'insert', baseline: [], busyBefore: 0, cells: [cell(1, 500), cell(16, 0)] },
];

describe('ratiosOf', () => {
  it('a cell is compared with every baseline at the same concurrency', () => {
    expect(ratiosOf(cell(1, 400), ['insert', 'echo'], results)).toEqual([
      { baseline: 'insert', ratio: 0.8 },
      { baseline: 'echo', ratio: 0.2 },
    ]);
  });

  it('a cell is compared with a baseline’s rate right before and after it rather than at the start of the run', () => {
    const limits = { insert: 1_000 };
    const beside = makeCell({ inFlight: 1, requestsPerSecond: 400, limits });
    expect(ratiosOf(beside, ['insert', 'echo'], results)).toEqual([
      { baseline: 'insert', ratio: 0.4 },
      { baseline: 'echo', ratio: 0.2 },
    ]);
  });

  it('a cell with finished work is compared by the rate at which work was finished', () => {
    const queueing = makeCell({ requestsPerSecond: 800, finished: { perSecond: 200, drainMs: 9 } });
    expect(ratiosOf(queueing, ['insert'], results)).toEqual([{ baseline: 'insert', ratio: 0.4 }]);
  });

  it('a cell is not compared with baselines that were not measured or had no successful request', () => {
    expect(ratiosOf(cell(64, 400), ['echo'], results)).toEqual([]);
    expect(ratiosOf(cell(16, 400), ['insert', 'publish'], results)).toEqual([]);
  });
});
