import { expect, it } from '@jest/globals';
import { meanRates } from './bare-limits';

it('the bare limit for a workload is the mean of the rates measured before and after the workload', () => {
  const before = { 'mongo-insert': 2_000, 'grpc-echo': 4_000 };
  const after = { 'mongo-insert': 3_000, 'grpc-echo': 5_000 };
  expect(meanRates(before, after)).toEqual({ 'mongo-insert': 2_500, 'grpc-echo': 4_500 });
});

it('the bare limit for a workload is the rate measured before the workload if none was measured after it', () => {
  expect(meanRates({ 'mongo-insert': 2_000 }, {})).toEqual({ 'mongo-insert': 2_000 });
});
