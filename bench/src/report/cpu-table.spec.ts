import { describe, expect, it } from '@jest/globals';
import { makeCell, makeCosts } from '../test-support/make-cell';
import { formatCpuTable, listProcesses } from './cpu-table';

describe('formatCpuTable', () => {
  it('the CPU table has a row per cell with costs and a column per process', () => {
    const costs = makeCosts({ cpuUs: 1_500, cpuUsBy: { mongod: 1_000, bench: 500 } });
    const cells = [makeCell({ inFlight: 64, costs }), makeCell({})];
    const lines = formatCpuTable([{ name: 'get', baseline: [], busyBefore: 0, cells }]).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/in flight +bench +mongod +total$/);
    expect(lines[2]).toMatch(/^get +64 +500 +1,000 +1,500$/);
  });
});

describe('listProcesses', () => {
  it('the CPU table lists the gateway between the bench and the services', () => {
    const used = { mongod: 1, gateway: 1, identity: 1, bench: 1 };
    expect(listProcesses([used])).toEqual(['bench', 'gateway', 'identity', 'mongod']);
  });

  it('the CPU table lists unknown processes last', () => {
    expect(listProcesses([{ other: 1, nats: 1 }, { identity: 1 }])).toEqual([
      'identity',
      'nats',
      'other',
    ]);
  });
});
