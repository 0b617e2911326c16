import { describe, expect, it } from '@jest/globals';
import { pullOptions } from './pull-options';

describe('pullOptions', () => {
  it('asks a clustered server for a heartbeat every second, and lets a pull last five seconds', () => {
    expect(pullOptions({ cluster: 'daycare' })).toEqual({ expires: 5_000, idle_heartbeat: 1_000 });
  });

  it('asks a single server for a heartbeat every five seconds, and lets a pull last ten seconds', () => {
    expect(pullOptions({})).toEqual({ expires: 10_000, idle_heartbeat: 5_000 });
  });

  it('treats an unknown server like a clustered one', () => {
    expect(pullOptions(undefined)).toEqual(pullOptions({ cluster: 'daycare' }));
  });
});
