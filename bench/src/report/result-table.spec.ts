import { describe, expect, it } from '@jest/globals';
import type { Result } from './result';
import { formatResults } from './result-table';

const cell = { inFlight: 1, requests: 9, p50Ms: 0.456, p99Ms: 12.3, errors: 0 };
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
  it('shows a workload as a share of its bare limit', () => {
    const lines = formatResults([echo, getUser]).split('\n');
    expect(lines[3]).toBe('GetUser            1  1,235    0.46   12.30       0  0.62 × grpc-echo');
  });

  it('has the h2load column only when something was measured with it', () => {
    expect(formatResults([echo])).not.toContain('h2load');
    const driven = { ...echo, cells: [{ ...echo.cells[0]!, h2loadPerSecond: 17_000 }] };
    expect(formatResults([driven])).toContain('17,000');
  });

  it('does not invent latencies when nothing was answered', () => {
    const silent = { ...cell, requestsPerSecond: 0, p50Ms: NaN, p99Ms: NaN, errors: 1 };
    expect(formatResults([{ ...echo, cells: [silent] }])).toContain('–');
  });
});
