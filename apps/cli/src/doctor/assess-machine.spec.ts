import { describe, expect, it } from '@jest/globals';
import { noColours } from '../terminal/colours';
import { fail, ok, renderChecks, warn } from './check';
import {
  assessBubblewrap,
  assessBundles,
  assessDisk,
  assessInstallation,
  assessNode,
  assessPort,
} from './assess-machine';

const mebibyte = 1024 * 1024;

describe('machine checks', () => {
  it.each([
    ['v20.19.0', 'ok'],
    ['v22.1.0', 'ok'],
    ['v20.18.3', 'fail'],
    ['v18.20.0', 'fail'],
  ])('rates Node %s as %s', (version, status) => {
    expect(assessNode(version)).toMatchObject({ status, found: version });
  });

  it.each([
    ['the expected', 'abc', 'ok'],
    ['an outdated', 'old', 'warn'],
    ['no', undefined, 'warn'],
  ])('rates an installation with %s stamp (%s) as %s', (_, stamp, status) => {
    expect(assessInstallation({ name: 'packages', stamp, expected: 'abc' })).toMatchObject({
      status,
    });
  });

  it('names services that are not built', () => {
    expect(assessBundles(['topology'])).toMatchObject({
      status: 'warn',
      found: 'not built: topology',
    });
    expect(assessBundles([]).status).toBe('ok');
  });

  it.each([
    [400, 'fail'],
    [1_000, 'warn'],
    [50_000, 'ok'],
  ])('rates %d MiB of free disk space as %s', (free, status) => {
    expect(assessDisk(free * mebibyte, '/data')).toMatchObject({ status });
  });

  it.each([
    ['free', {}, 'ok'],
    ['ours', {}, 'ok'],
    ['taken', {}, 'warn'],
    ['taken', { variable: 'DAYCARE_IDENTITY_PORT' }, 'fail'],
  ] as const)('rates a port in state "%s" with the settings %j as %s', (use, settings, status) => {
    const port = { owner: 'identity', port: 50_051, use, holder: 'nginx (process 7)', ...settings };
    const check = assessPort(port);
    expect(check.status).toBe(status);
    if (use === 'taken') expect(check.found).toContain('nginx (process 7)');
  });

  it.each([
    [undefined, false, true, 'ok'],
    [undefined, true, false, 'ok'],
    [undefined, true, true, 'fail'],
    ['bwrap is not installed', false, false, 'warn'],
    ['bwrap is not installed', true, false, 'fail'],
  ])(
    'rates bubblewrap (problem: %s, exec tool enabled: %s, root without DAYCARE_EXEC_UID: %s) as %s',
    (problem, isEnabled, isRootWithoutUid, status) => {
      expect(assessBubblewrap({ problem, isEnabled, isRootWithoutUid }).status).toBe(status);
    },
  );
});

describe('renderChecks', () => {
  it('shows each check with its advice below it, then a summary', () => {
    const style = { colours: noColours, width: 80 };
    const checks = [ok('node', 'v20'), warn('stack', 'none', 'Start one.')];
    expect(renderChecks(checks, style).split('\n')).toEqual([
      'ok    node   v20',
      'warn  stack  none',
      '             → Start one.',
      '',
      'No failures, 1 warning.',
    ]);
    expect(renderChecks([...checks, fail('disk', 'full', 'x')], style)).toMatch(
      /1 of 3 checks failed/,
    );
    expect(renderChecks([ok('node', 'v20')], style)).toMatch(/All checks passed\.$/);
  });
});
