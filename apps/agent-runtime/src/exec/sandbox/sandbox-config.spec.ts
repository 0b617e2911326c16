import { expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { readSandboxConfig } from './sandbox-config';

it('by default, the sandbox runs no programs and grants no network', () => {
  expect(readSandboxConfig(new EnvReader({}))).toEqual({
    enabled: false,
    network: false,
    maxRuns: 4,
    uid: undefined,
    memoryBytes: 536_870_912,
    processes: 64,
  });
});

it('readSandboxConfig reads settings from their variables, and names the variable whose value is invalid', () => {
  const env = new EnvReader({
    DAYCARE_EXEC_ENABLED: 'on',
    DAYCARE_EXEC_UID: '1001',
    DAYCARE_EXEC_MAX: '2',
    DAYCARE_EXEC_MAX_PROCESSES: '1',
  });
  expect(readSandboxConfig(env)).toMatchObject({ enabled: true, uid: 1001, maxRuns: 2 });
  expect(() => env.done({})).toThrow(/^DAYCARE_EXEC_MAX_PROCESSES is "1"/);
});
