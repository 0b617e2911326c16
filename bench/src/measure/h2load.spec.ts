import { describe, expect, it } from '@jest/globals';
import { frameMessage, readRequestsPerSecond } from './h2load';

const report = (failed: number): string => `
finished in 2.01s, 15432.50 req/s, 1.2MB/s
requests: 30865 total, 30865 started, 30865 done, 30865 succeeded, ${failed} failed, 0 errored, 0 timeout
status codes: 30865 2xx, 0 3xx, 0 4xx, 0 5xx
`;

describe('h2load', () => {
  it('a message for h2load is framed as gRPC requires', () => {
    expect([...frameMessage(Buffer.from('abc'))]).toEqual([0, 0, 0, 0, 3, 97, 98, 99]);
  });

  it('the rate is read from h2load’s report', () => {
    expect(readRequestsPerSecond(report(0))).toBe(15_432.5);
  });

  it('an h2load report with failures, and any other output, is rejected', () => {
    expect(() => readRequestsPerSecond(report(3))).toThrow('3 failed');
    expect(() => readRequestsPerSecond('could not connect')).toThrow('could not connect');
  });
});
