import { describe, expect, it } from '@jest/globals';
import { FieldChecks } from '@daycare/api';
import { planChange, readSpec, type Endpoint, type EndpointChange } from './endpoint';

const port = { kind: 'port', port: 8_080 } as const;
const agent = { kind: 'agent', agentId: 'a1' } as const;
const endpoint: Endpoint = {
  id: 'e1',
  userId: 'u1',
  ownerUserId: 'u1',
  name: 'site',
  target: port,
  mode: 'public',
  auth: 'none',
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};
const noChange: EndpointChange = {
  name: undefined,
  target: undefined,
  mode: undefined,
  auth: undefined,
  rotatePassword: false,
};

describe('readSpec', () => {
  const check = (changes: object): void => {
    const checks = new FieldChecks();
    readSpec({ ...endpoint, ...changes }, { ports: [{ from: 8_080, to: 8_080 }] }, checks);
    checks.done();
  };

  it('a new endpoint requires a name of 1 to 100 characters', () => {
    expect(() => check({ name: '🦊'.repeat(100) })).not.toThrow();
    expect(() => check({ name: '🦊'.repeat(101) })).toThrow('name');
    expect(() => check({ name: ' ' })).toThrow('name');
    expect(() => check({ name: 'a\nb' })).toThrow('name');
  });

  it('a new endpoint requires a target and a mode', () => {
    expect(() => check({ target: undefined })).toThrow('target is required');
    expect(() => check({ mode: undefined })).toThrow('mode is required');
  });

  it('a new endpoint for a webhook requires a password or a signature', () => {
    expect(() => check({ target: agent, auth: 'password' })).not.toThrow();
    expect(() => check({ target: agent })).toThrow(
      'auth must be password, github, stripe or slack for a webhook',
    );
    expect(() => check({ target: agent, auth: undefined })).toThrow('auth must be password');
  });
});

describe('planChange', () => {
  const plan = (changes: Partial<EndpointChange>, from: Partial<Endpoint> = {}) =>
    planChange({ ...endpoint, ...from }, { ...noChange, ...changes });

  it('a change to an endpoint keeps the settings that it does not name', () => {
    expect(plan({})).toEqual({
      spec: { name: 'site', target: port, mode: 'public', auth: 'none' },
      generatedCredential: undefined,
    });
    expect(plan({ name: 'new', mode: 'local_network' }).spec).toEqual({
      name: 'new',
      target: port,
      mode: 'local_network',
      auth: 'none',
    });
  });

  it.each<[Endpoint['auth'], Partial<EndpointChange>, 'password' | 'secret' | 'nothing']>([
    ['none', { auth: 'password' }, 'password'],
    ['none', { auth: 'password', rotatePassword: true }, 'password'],
    ['password', { auth: 'password' }, 'nothing'],
    ['password', { rotatePassword: true }, 'password'],
    ['password', { auth: 'none' }, 'nothing'],
    ['password', { auth: 'github', target: agent }, 'secret'],
    ['github', { auth: 'password', target: agent }, 'password'],
    ['github', { auth: 'slack', target: agent }, 'secret'],
    ['github', { auth: 'github', target: agent }, 'nothing'],
    ['github', { rotatePassword: true, target: agent }, 'secret'],
    ['github', { secret: 'x'.repeat(16), target: agent }, 'nothing'],
    ['password', { auth: 'stripe', secret: 'x'.repeat(16), target: agent }, 'nothing'],
  ])('for an endpoint whose auth is %s, the change %j generates: %s', (auth, changes, expected) => {
    const generated = expected === 'nothing' ? undefined : expected;
    expect(plan(changes, { auth }).generatedCredential).toBe(generated);
  });

  it.each<[Partial<EndpointChange>, Partial<Endpoint>, string]>([
    [{ rotatePassword: true }, {}, 'no password to rotate'],
    [{ rotatePassword: true, auth: 'none' }, { auth: 'password' }, 'no password to rotate'],
    [{ target: agent }, {}, 'auth'],
    [{ auth: 'none' }, { target: agent, auth: 'password' }, 'auth'],
    [{ auth: 'github' }, {}, 'can be github, stripe or slack only for a webhook'],
    [
      { target: port },
      { target: agent, auth: 'slack' },
      'can be github, stripe or slack only for a webhook',
    ],
    [{ secret: 'x'.repeat(16) }, { auth: 'password' }, 'secret'],
  ])(
    'refuses the change %j, which contradicts the endpoint’s settings',
    (changes, from, message) => {
      expect(() => plan(changes, from)).toThrow(message);
    },
  );
});
