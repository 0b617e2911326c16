import { describe, expect, it } from '@jest/globals';
import { keepOwnServers, readConfig } from './config';

describe('the configuration of a bench', () => {
  it('never points the stack at servers that somebody configured', () => {
    const env = {
      DAYCARE_MONGO_URL: 'mongodb://example',
      DAYCARE_IDENTITY_PORT: '50051',
      DAYCARE_MONGOD: '/usr/bin/mongod',
      HOME: '/home/ada',
    };
    expect(keepOwnServers(env)).toEqual({ DAYCARE_MONGOD: '/usr/bin/mongod', HOME: '/home/ada' });
  });

  it('measures for a shorter time when asked to be quick', () => {
    const { pace, quick } = readConfig(['--quick']);
    expect(quick).toBe(true);
    expect(pace.measureMs).toBeLessThan(readConfig([]).pace.measureMs);
  });

  it('refuses an option there is not', () => {
    expect(() => readConfig(['--fast'])).toThrow("'--fast'");
  });
});
