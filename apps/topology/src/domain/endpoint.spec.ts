import { describe, expect, it } from '@jest/globals';
import { FieldChecks } from '@daycare/errors';
import { planChange, readWish, type Endpoint, type EndpointChange } from './endpoint';

const port = { kind: 'port', port: 8_080 } as const;
const agent = { kind: 'agent', agentId: 'a1' } as const;
const endpoint: Endpoint = {
  id: 'e1',
  userId: 'u1',
  name: 'site',
  target: port,
  mode: 'public',
  auth: 'none',
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};
const nothing: EndpointChange = {
  name: undefined,
  target: undefined,
  mode: undefined,
  auth: undefined,
  rotatePassword: false,
};

describe('a new endpoint', () => {
  const check = (changes: object): void => {
    const checks = new FieldChecks();
    readWish({ ...endpoint, ...changes }, { ports: [{ from: 8_080, to: 8_080 }] }, checks);
    checks.done();
  };

  it('has a name of 1 to 100 characters', () => {
    expect(() => check({ name: '🦊'.repeat(100) })).not.toThrow();
    expect(() => check({ name: '🦊'.repeat(101) })).toThrow('name');
    expect(() => check({ name: ' ' })).toThrow('name');
    expect(() => check({ name: 'a\nb' })).toThrow('name');
  });

  it('goes somewhere and is for somebody', () => {
    expect(() => check({ target: undefined })).toThrow('target is required');
    expect(() => check({ mode: undefined })).toThrow('mode is required');
  });

  it('has a password if it is a webhook', () => {
    expect(() => check({ target: agent, auth: 'password' })).not.toThrow();
    expect(() => check({ target: agent })).toThrow('auth must be a password');
    expect(() => check({ target: agent, auth: undefined })).toThrow('auth must be a password');
  });
});

describe('a change', () => {
  const plan = (changes: Partial<EndpointChange>, from: Partial<Endpoint> = {}) =>
    planChange({ ...endpoint, ...from }, { ...nothing, ...changes });

  it('leaves what it does not name', () => {
    expect(plan({})).toEqual({
      wish: { name: 'site', target: port, mode: 'public', auth: 'none' },
      drawsPassword: false,
    });
    expect(plan({ name: 'new', mode: 'local_network' }).wish).toEqual({
      name: 'new',
      target: port,
      mode: 'local_network',
      auth: 'none',
    });
  });

  it.each<[Endpoint['auth'], Partial<EndpointChange>, boolean]>([
    ['none', { auth: 'password' }, true],
    ['none', { auth: 'password', rotatePassword: true }, true],
    ['password', { auth: 'password' }, false],
    ['password', { rotatePassword: true }, true],
    ['password', { auth: 'none' }, false],
  ])('from %s by %j draws a password: %s', (auth, changes, drawsPassword) => {
    expect(plan(changes, { auth })).toMatchObject({ drawsPassword });
  });

  it.each<[Partial<EndpointChange>, Partial<Endpoint>, string]>([
    [{ rotatePassword: true }, {}, 'rotate_password'],
    [{ rotatePassword: true, auth: 'none' }, { auth: 'password' }, 'rotate_password'],
    [{ target: agent }, {}, 'auth'],
    [{ auth: 'none' }, { target: agent, auth: 'password' }, 'auth'],
  ])('%j is refused', (changes, from, field) => {
    expect(() => plan(changes, from)).toThrow(field);
  });
});
