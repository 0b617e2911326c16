import { describe, expect, it } from '@jest/globals';
import { makeCell } from '../test-support/make-cell';
import { describeDisturbance, findFailures, withRatios } from './report';

const cell = makeCell({});

describe('withRatios, findFailures and describeDisturbance', () => {
  it('a report contains the ratios of every cell', () => {
    const [, workload] = withRatios([
      { name: 'echo', baseline: [], busyBefore: 0, cells: [{ ...cell, requestsPerSecond: 400 }] },
      { name: 'get', baseline: ['echo'], busyBefore: 0, cells: [cell] },
    ]);
    expect(workload?.cells[0]?.ratios).toEqual([{ baseline: 'echo', ratio: 0.25 }]);
  });

  it('a report names every cell with errors, and the first error', () => {
    const bad = { ...cell, errors: 2, firstError: 'refused' };
    expect(
      findFailures([{ name: 'get', baseline: [], busyBefore: 0, cells: [cell, bad] }]),
    ).toEqual(['get, 1 in flight: 2 failed, the first with "refused"']);
  });

  it('a report counts a cell without a completed request as a failure', () => {
    const silent = { ...cell, requests: 0, requestsPerSecond: 0 };
    const result = { name: 'get', baseline: [], busyBefore: 0, cells: [silent] };
    expect(findFailures([result])).toEqual([
      'get, 1 in flight: no request completed within the measured time',
    ]);
  });

  it('a report warns when other programs were busy before at least one probe', () => {
    const quiet = { name: 'get', baseline: [], busyBefore: 0.05, cells: [] };
    expect(describeDisturbance([quiet])).toBeUndefined();
    expect(describeDisturbance([quiet, { ...quiet, busyBefore: 0.431 }])).toContain('43 %');
  });
});
