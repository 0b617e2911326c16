import { describe, expect, it } from '@jest/globals';
import type { Result } from '../measure/result';
import { makeCell, makeCosts } from '../test-support/make-cell';
import { formatResults } from './result-table';

const cell = makeCell({ p50Ms: 0.456, p99Ms: 12.3 });
const echo: Result = {
  name: 'grpc-echo',
  baseline: [],
  busyBefore: 0,
  cells: [{ ...cell, requestsPerSecond: 2_000 }],
};
const getUser: Result = {
  name: 'GetUser',
  baseline: ['grpc-echo'],
  busyBefore: 0,
  cells: [{ ...cell, requestsPerSecond: 1_234.5 }],
};

describe('formatResults', () => {
  it('the result table shows a workload as a share of its bare limit', () => {
    const lines = formatResults([echo, getUser]).split('\n');
    expect(lines[3]).toBe('GetUser            1  1,235    0.46   12.30       0  0.62 × grpc-echo');
  });

  it('the result table has an h2load column only when there are figures from h2load', () => {
    expect(formatResults([echo])).not.toContain('h2load');
    const driven = { ...echo, cells: [{ ...echo.cells[0]!, h2loadPerSecond: 17_000 }] };
    expect(formatResults([driven])).toContain('17,000');
  });

  it('the result table shows costs per operation only when there are any', () => {
    expect(formatResults([echo])).not.toContain('CPU');
    const costs = makeCosts({ cpuUs: 7_098, mongoCommands: 6.88, ownShare: 0.934 });
    const table = formatResults([{ ...echo, cells: [{ ...echo.cells[0]!, costs }] }]);
    expect(table).toContain('CPU µs/op');
    expect(table).toMatch(/7,098 +6\.88 +0\.00 +93$/);
    expect(table).not.toContain('NATS/op');
  });

  it('the result table shows a dash for latencies when no request completed', () => {
    const silent = { ...cell, requestsPerSecond: 0, p50Ms: NaN, p99Ms: NaN, errors: 1 };
    expect(formatResults([{ ...echo, cells: [silent] }])).toContain('–');
  });
});
