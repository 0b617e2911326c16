import { describe, expect, it } from '@jest/globals';
import { parseCredentials } from './credentials';

const secret = 'a-secret-of-enough-length';

describe('parseCredentials', () => {
  it('reads the configured credentials', () => {
    const text = JSON.stringify({ admin: secret, services: { topology: secret } });
    expect(parseCredentials(text)).toEqual({
      admin: [secret],
      services: { topology: [secret] },
      clients: {},
    });
  });

  it('reads two secrets for one name, so that one can replace the other', () => {
    const pair = [secret, `${secret}-2`];
    const text = JSON.stringify({ admin: pair, clients: { telegram: pair } });
    expect(parseCredentials(text)).toEqual({
      admin: pair,
      services: {},
      clients: { telegram: pair },
    });
  });

  it.each([
    ['is not JSON', 'admin=x'],
    ['must be a JSON object', '[]'],
    ['has an unknown field "admins"', JSON.stringify({ admin: secret, admins: {} })],
    ['must set "admin"', '{}'],
    ['must set "admin"', JSON.stringify({ admin: 'short' })],
    ['must set "admin"', JSON.stringify({ admin: [] })],
    ['must set "admin"', JSON.stringify({ admin: [secret, secret] })],
    ['must set "admin"', JSON.stringify({ admin: [secret, 'short'] })],
    ['must set "admin"', JSON.stringify({ admin: ['1', '2', '3'].map((n) => secret + n) })],
    ['each name in "services"', JSON.stringify({ admin: secret, services: { topology: 'short' } })],
    ['each name in "clients"', JSON.stringify({ admin: secret, clients: { admin: secret } })],
    ['each name in "clients"', JSON.stringify({ admin: secret, clients: { 'a:b': secret } })],
    ['"oidc", which is reserved', JSON.stringify({ admin: secret, clients: { oidc: secret } })],
    [
      'names "topology" both',
      JSON.stringify({
        admin: secret,
        services: { topology: secret },
        clients: { topology: secret },
      }),
    ],
  ])('reports "%s" for invalid credentials without quoting a secret', (problem, text) => {
    expect(parseCredentials(text)).toContain(problem);
    expect(parseCredentials(text)).not.toContain(secret);
  });
});
