import { describe, expect, it } from '@jest/globals';
import {
  displayNameOf,
  isAdmitted,
  mayRedirectTo,
  oidcConnectorKey,
  parseOidcProviders,
  type OidcProvider,
} from './oidc-provider';

const google = {
  issuer: 'https://accounts.example.com',
  clientId: 'daycare',
  clientSecret: 'secret',
  redirectUris: ['https://daycare.example.org/sign-in/callback'],
};
const parse = (value: unknown) => parseOidcProviders(JSON.stringify(value));
const provider = (changes: Partial<OidcProvider> = {}): OidcProvider => ({
  name: 'google',
  ...google,
  requiredClaims: {},
  ...changes,
});

describe('parseOidcProviders', () => {
  it('reads providers by name', () => {
    expect(parse({ google })).toEqual([provider()]);
    expect(parse({})).toEqual([]);
  });

  it.each([
    ['is not JSON', '{'],
    ['a JSON object', '[]'],
    ['"Big Co"', JSON.stringify({ 'Big Co': google })],
    ['unknown field "secret"', JSON.stringify({ google: { ...google, secret: 'x' } })],
    ['https URL', JSON.stringify({ google: { ...google, issuer: 'http://example.com' } })],
    ['"clientId"', JSON.stringify({ google: { ...google, clientId: '' } })],
    ['"clientSecret"', JSON.stringify({ google: { ...google, clientSecret: 1 } })],
    ['"redirectUris"', JSON.stringify({ google: { ...google, redirectUris: [] } })],
    ['"redirectUris"', JSON.stringify({ google: { ...google, redirectUris: ['/callback'] } })],
    ['"requiredClaims"', JSON.stringify({ google: { ...google, requiredClaims: { hd: [] } } })],
  ])(
    'reports an invalid configuration with a message that contains the words: %s',
    (problem, text) => {
      expect(parseOidcProviders(text)).toEqual(expect.stringContaining(problem));
    },
  );

  it('accepts a provider without TLS on this machine', () => {
    const local = {
      ...google,
      issuer: 'http://127.0.0.1:9',
      redirectUris: ['http://localhost:1/'],
    };
    expect(parse({ local })).toHaveLength(1);
  });
});

describe('mayRedirectTo', () => {
  it('allows exactly the configured redirect addresses, with any port for those on this machine', () => {
    const redirectUris = ['https://daycare.example.org/back', 'http://127.0.0.1/back'];
    const allowed = (uri: string) => mayRedirectTo(provider({ redirectUris }), uri);
    expect(allowed('https://daycare.example.org/back')).toBe(true);
    expect(allowed('http://127.0.0.1:8080/back')).toBe(true);
    for (const uri of [
      'https://daycare.example.org:8443/back',
      'https://daycare.example.org/back?to=elsewhere',
      'http://127.0.0.1:8080/elsewhere',
      'http://127.0.0.1@example.org/back',
      'http://localhost:8080/back',
      'back',
    ])
      expect([uri, allowed(uri)]).toEqual([uri, false]);
  });
});

describe('oidcConnectorKey, isAdmitted and displayNameOf', () => {
  it('two people have different connector keys even if their issuers and subjects, joined with colons, are equal', () => {
    const first = oidcConnectorKey(provider({ issuer: 'https://a.example' }), '8443:ada');
    const second = oidcConnectorKey(provider({ issuer: 'https://a.example:8443' }), 'ada');
    expect(first).not.toBe(second);
  });

  it('a person is admitted only with all required claims, whose values are compared exactly', () => {
    const strict = provider({ requiredClaims: { hd: 'example.org', email_verified: true } });
    const admitted = (claims: object) =>
      isAdmitted(strict, { subject: 'ada', claims: { ...claims } });
    expect(admitted({ hd: 'example.org', email_verified: true })).toBe(true);
    expect(admitted({ hd: 'example.org', email_verified: 'true' })).toBe(false);
    expect(admitted({ email_verified: true })).toBe(false);
  });

  it.each([
    [{ name: 'Ada', email: 'a@example.org' }, 'Ada'],
    [{ name: ' ', email: 'a@example.org' }, 'a@example.org'],
    [{ name: 7 }, 'New user'],
    [{ name: 'Ada\n\u0000Lovelace' }, 'Ada  Lovelace'],
    [{ name: 'x'.repeat(300) }, 'x'.repeat(100)],
    [{}, 'New user'],
  ])('a person with the claims %j has the display name %j', (claims, name) => {
    expect(displayNameOf({ subject: 'ada', claims })).toBe(name);
  });
});
