import { expect, it } from '@jest/globals';
import { meanRates } from './bare-limits';

it('a bare limit beside a workload is the mean of the rates reached before and after the workload', () => {
  const before = { 'mongo-insert': 2_000, 'grpc-echo': 4_000 };
  const after = { 'mongo-insert': 3_000, 'grpc-echo': 5_000 };
  expect(meanRates(before, after)).toEqual({ 'mongo-insert': 2_500, 'grpc-echo': 4_500 });
});

it('a bare limit that was measured before a workload but not after it is reported as measured', () => {
  expect(meanRates({ 'mongo-insert': 2_000 }, {})).toEqual({ 'mongo-insert': 2_000 });
});
