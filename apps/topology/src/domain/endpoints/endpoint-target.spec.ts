import { describe, expect, it } from '@jest/globals';
import { FieldChecks } from '@daycare/api';
import { checkTarget, formatTarget, type EndpointTarget } from './endpoint-target';

const rules = {
  ports: [
    { from: 8_000, to: 8_999 },
    { from: 9_100, to: 9_100 },
  ],
};

function check(target: EndpointTarget, allowed = rules): void {
  const checks = new FieldChecks();
  checkTarget(target, allowed, checks);
  checks.done();
}

describe('a port target', () => {
  it.each([8_000, 8_999, 9_100])('accepts the port %d, which is in the allowed ranges', (port) => {
    expect(() => check({ kind: 'port', port })).not.toThrow();
  });

  it.each([0, -1, 22, 7_999, 9_000, 9_101, 65_536, 8_000.5, Number.NaN])(
    'refuses %d, which is not an allowed port',
    (port) => {
      expect(() => check({ kind: 'port', port })).toThrow('8000-8999, 9100');
    },
  );

  it('a port target is refused when the operator allows no ports', () => {
    expect(() => check({ kind: 'port', port: 8_000 }, { ports: [] })).toThrow('allows no ports');
  });
});

describe('a socket target', () => {
  const validPaths = ['web.sock', 'run/web.sock', 'ünïcode/…', `a/${'x'.repeat(255)}`];
  it.each(validPaths.map((path) => [path.slice(0, 20), path] as const))(
    'accepts the socket path %s inside the home',
    (_, path) => {
      expect(() => check({ kind: 'unix', path })).not.toThrow();
    },
  );

  const invalidPaths = [
    '',
    '/etc/x',
    'a//b',
    'a/',
    '.',
    '..',
    '../u2/home/web.sock',
    'a/../../b',
    './a',
    'a\u0000b',
    'a\nb',
    'x'.repeat(256),
    'é'.repeat(128),
    'a/'.repeat(600),
    '\ud800',
  ];
  it.each(invalidPaths.map((path) => [path.slice(0, 20), path] as const))(
    'refuses the socket path %j, which is malformed, too long or could leave the home',
    (_, path) => {
      expect(() => check({ kind: 'unix', path })).toThrow('target unix path');
    },
  );
});

it('an agent target is refused if its id is invalid', () => {
  expect(() => check({ kind: 'agent', agentId: 'a1' })).not.toThrow();
  expect(() => check({ kind: 'agent', agentId: '../a1' })).toThrow('target agent id');
});

it.each<[EndpointTarget, string]>([
  [{ kind: 'port', port: 8_080 }, 'port:8080'],
  [{ kind: 'unix', path: 'web.sock' }, 'unix:web.sock'],
  [{ kind: 'agent', agentId: 'a1' }, 'agent:a1'],
])('the target %j is formatted as %s', (target, text) => {
  expect(formatTarget(target)).toBe(text);
});
