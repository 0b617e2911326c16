import { describe, expect, it } from '@jest/globals';
import { withoutDaycareSettings, readConfig } from './config';

describe('bench configuration', () => {
  it('never points the stack at configured servers', () => {
    const env = {
      DAYCARE_MONGO_URL: 'mongodb://example',
      DAYCARE_IDENTITY_PORT: '50051',
      DAYCARE_MONGOD: '/usr/bin/mongod',
      HOME: '/home/ada',
    };
    expect(withoutDaycareSettings(env)).toEqual({
      DAYCARE_MONGOD: '/usr/bin/mongod',
      HOME: '/home/ada',
    });
  });

  it('measures for a shorter time with --quick', () => {
    const { pace, quick } = readConfig(['--quick']);
    expect(quick).toBe(true);
    expect(pace.measureMs).toBeLessThan(readConfig([]).pace.measureMs);
  });

  it('rejects an unknown option', () => {
    expect(() => readConfig(['--fast'])).toThrow("'--fast'");
  });

  it('accepts report files only with --compare and --plot', () => {
    expect(readConfig(['--compare', 'a.json', 'b.json']).files).toEqual(['a.json', 'b.json']);
    expect(() => readConfig(['--compare', 'a.json'])).toThrow('two reports');
    expect(() => readConfig(['--plot'])).toThrow('one or two reports');
    expect(() => readConfig(['a.json'])).toThrow("'a.json'");
  });
});
