import { describe, expect, it } from '@jest/globals';
import { parseCredentials } from './credentials';

const secret = 'a-secret-of-enough-length';

describe('parseCredentials', () => {
  it('reads the configured credentials', () => {
    const text = JSON.stringify({ admin: secret, services: { topology: secret } });
    expect(parseCredentials(text)).toEqual({
      admin: secret,
      services: { topology: secret },
      clients: {},
    });
  });

  it.each([
    ['is not JSON', 'admin=x'],
    ['must be a JSON object', '[]'],
    ['has an unknown field "admins"', JSON.stringify({ admin: secret, admins: {} })],
    ['needs "admin"', '{}'],
    ['needs "admin"', JSON.stringify({ admin: 'short' })],
    ['needs "services"', JSON.stringify({ admin: secret, services: { topology: 'short' } })],
    ['needs "clients"', JSON.stringify({ admin: secret, clients: { admin: secret } })],
    ['needs "clients"', JSON.stringify({ admin: secret, clients: { 'a:b': secret } })],
    [
      'names "topology" both',
      JSON.stringify({
        admin: secret,
        services: { topology: secret },
        clients: { topology: secret },
      }),
    ],
  ])('refuses invalid credentials with "%s" and without quoting a secret', (problem, text) => {
    expect(parseCredentials(text)).toContain(problem);
    expect(parseCredentials(text)).not.toContain(secret);
  });
});
