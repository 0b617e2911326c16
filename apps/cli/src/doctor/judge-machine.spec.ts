import { describe, expect, it } from '@jest/globals';
import { noColours } from '../terminal/colours';
import { fail, ok, renderChecks, warn } from './check';
import {
  judgeBubblewrap,
  judgeBundles,
  judgeDisk,
  judgeInstallation,
  judgeNode,
  judgePort,
} from './judge-machine';

const mebibyte = 1024 * 1024;

describe('what the doctor says of a machine', () => {
  it.each([
    ['v20.19.0', 'ok'],
    ['v22.1.0', 'ok'],
    ['v20.18.3', 'fail'],
    ['v18.20.0', 'fail'],
  ])('Node %s: %s', (version, status) => {
    expect(judgeNode(version)).toMatchObject({ status, found: version });
  });

  it.each([
    ['the same', 'abc', 'ok'],
    ['another', 'old', 'warn'],
    ['none', undefined, 'warn'],
  ])('an installation with %s stamp: %s %s', (_, stamp, status) => {
    expect(judgeInstallation({ name: 'packages', stamp, wanted: 'abc' })).toMatchObject({ status });
  });

  it('names what is not built', () => {
    expect(judgeBundles(['topology'])).toMatchObject({
      status: 'warn',
      found: 'not built: topology',
    });
    expect(judgeBundles([]).status).toBe('ok');
  });

  it.each([
    [400, 'fail'],
    [1_000, 'warn'],
    [50_000, 'ok'],
  ])('%d MiB of room: %s', (free, status) => {
    expect(judgeDisk(free * mebibyte, '/data')).toMatchObject({ status });
  });

  it.each([
    ['free', {}, 'ok'],
    ['ours', {}, 'ok'],
    ['taken', {}, 'warn'],
    ['taken', { variable: 'DAYCARE_IDENTITY_PORT' }, 'fail'],
  ] as const)('a port that is %s with %j: %s', (use, more, status) => {
    const wanted = { owner: 'identity', port: 50_051, use, holder: 'nginx (process 7)', ...more };
    const check = judgePort(wanted);
    expect(check.status).toBe(status);
    if (use === 'taken') expect(check.found).toContain('nginx (process 7)');
  });

  it.each([
    [undefined, false, true, 'ok'],
    [undefined, true, false, 'ok'],
    [undefined, true, true, 'fail'],
    ['bwrap is not installed', false, false, 'warn'],
    ['bwrap is not installed', true, false, 'fail'],
  ])('bubblewrap (%s, enabled %s, root %s): %s', (problem, isEnabled, isRootWithoutUid, status) => {
    expect(judgeBubblewrap({ problem, isEnabled, isRootWithoutUid }).status).toBe(status);
  });
});

describe('the list of checks', () => {
  it('has a line for each, the advice below it, and says how it stands', () => {
    const style = { colours: noColours, width: 80 };
    const checks = [ok('node', 'v20'), warn('stack', 'none', 'Start one.')];
    expect(renderChecks(checks, style).split('\n')).toEqual([
      'ok    node   v20',
      'warn  stack  none',
      '             → Start one.',
      '',
      'Nothing is broken; 1 to look at.',
    ]);
    expect(renderChecks([...checks, fail('disk', 'full', 'x')], style)).toMatch(
      /1 of 3 checks failed/,
    );
    expect(renderChecks([ok('node', 'v20')], style)).toMatch(/All is well\.$/);
  });
});
