import { describe, expect, it } from '@jest/globals';
import { pullOptions } from './pull-options';

describe('pullOptions', () => {
  it('notices a lost server of a cluster within two seconds', () => {
    expect(pullOptions({ cluster: 'daycare' })).toEqual({ expires: 5_000, idle_heartbeat: 1_000 });
  });

  it('asks a single server for fewer heartbeats', () => {
    expect(pullOptions({})).toEqual({ expires: 10_000, idle_heartbeat: 5_000 });
  });

  it('treats an unknown server as one of a cluster', () => {
    expect(pullOptions(undefined)).toEqual(pullOptions({ cluster: 'daycare' }));
  });
});
