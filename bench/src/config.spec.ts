import { describe, expect, it } from '@jest/globals';
import { withoutDaycareSettings, readConfig } from './config';

describe('bench configuration', () => {
  it('the bench drops all Daycare settings, except for the paths of server programs', () => {
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

  it('--quick shortens the measurements', () => {
    const { pace, quick } = readConfig(['--quick']);
    expect(quick).toBe(true);
    expect(pace.measureMs).toBeLessThan(readConfig([]).pace.measureMs);
  });

  it('an unknown option is rejected', () => {
    expect(() => readConfig(['--fast'])).toThrow("'--fast'");
  });

  it('--compare requires two report files and --plot one or two; without these options, a file is rejected', () => {
    expect(readConfig(['--compare', 'a.json', 'b.json']).files).toEqual(['a.json', 'b.json']);
    expect(() => readConfig(['--compare', 'a.json'])).toThrow('two reports');
    expect(() => readConfig(['--plot'])).toThrow('one or two reports');
    expect(() => readConfig(['a.json'])).toThrow("'a.json'");
  });
});
