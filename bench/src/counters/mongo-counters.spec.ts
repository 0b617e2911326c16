import { describe, expect, it } from '@jest/globals';
import { parseServerStatus } from './mongo-counters';

describe('parseServerStatus', () => {
  it('reads the number of commands, in total and by name, and the number of log syncs', () => {
    const status = {
      network: { numRequests: 120 },
      metrics: { commands: { find: { total: 70 }, hello: { total: 9 }, insert: { total: 0 } } },
      wiredTiger: { log: { 'log sync operations': 33 } },
    };
    expect(parseServerStatus(status)).toEqual({
      commands: 120,
      byCommand: { find: 70 },
      logSyncs: 33,
    });
  });

  it('returns zero for figures that the server does not report', () => {
    expect(parseServerStatus({})).toEqual({ commands: 0, byCommand: {}, logSyncs: 0 });
  });
});
