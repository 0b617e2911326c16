import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { decodeJwt } from 'jose';
import { ensureIndexes } from '@daycare/mongo';
import { startOidcProvider, type TestOidcProvider } from '@daycare/testing';
import type { OidcProvider } from '../../domain/sign-in/oidc-provider';
import { maxPendingPerAddress, signInLifetimeMs } from '../../domain/sign-in/pending-sign-in';
import { OpenIdProtocol } from '../../oidc/openid-protocol';
import { ConnectorKeyStore } from '../../store/connector-key-store';
import {
  pendingSignInIndexes,
  PendingSignInStore,
} from '../../store/sign-in/pending-sign-in-store';
import { HostileProvider, type HostileAnswer } from '../../test-support/hostile-provider';
import { openTestSessions } from '../../test-support/test-sessions';
import { makeInsertUser } from '../insert-user';
import { makeResolveUser } from '../resolve-connector-key';
import { makeOidcSignIn } from './oidc-sign-in';

const redirectUri = 'http://127.0.0.1:1/sign-in/callback';
const clientSecret = 'a secret of this client';

let test: Awaited<ReturnType<typeof openTestSessions>>;
let honest: TestOidcProvider;
let hostile: HostileProvider;
let signIn: ReturnType<typeof makeOidcSignIn>;
/** The fields of the warnings that were logged. */
const warnings: object[] = [];

beforeAll(async () => {
  const client = { client_secret: clientSecret, redirect_uris: [redirectUri] };
  [test, honest, hostile] = await Promise.all([
    openTestSessions(),
    startOidcProvider([
      { client_id: 'daycare', ...client },
      { client_id: 'another', ...client },
    ]),
    HostileProvider.start(),
  ]);
  await ensureIndexes(test.mongo.db, [pendingSignInIndexes]);
  const provider = (
    name: string,
    issuer: string,
    more: Partial<OidcProvider> = {},
  ): OidcProvider => ({
    name,
    issuer,
    clientId: 'daycare',
    clientSecret,
    redirectUris: [redirectUri],
    requiredClaims: {},
    ...more,
  });
  const draw = (below: number): number => randomInt(below);
  const { users, now } = test;
  const insertUser = makeInsertUser({ users, newId: createId, now, draw });
  const connectorKeys = new ConnectorKeyStore(test.mongo.db);
  signIn = makeOidcSignIn({
    ...test,
    pending: new PendingSignInStore(test.mongo.db),
    protocol: new OpenIdProtocol({ warn: (fields) => void warnings.push(fields) }),
    resolveUser: makeResolveUser({ users, connectorKeys, insertUser }),
    providers: [
      provider('honest', honest.issuer),
      provider('strict', honest.issuer, { requiredClaims: { email: 'ada@example.org' } }),
      provider('hostile', hostile.issuer),
      provider('away', 'http://127.0.0.1:9'),
    ],
  });
});
afterAll(async () => {
  hostile.stop();
  await Promise.all([honest.stop(), test.close()]);
});

const refused = { code: 'UNAUTHENTICATED' };
const begin = (provider: string, address = '192.0.2.1') =>
  signIn.beginSignIn(provider, redirectUri, address);
const subjectOf = (accessToken: string) => decodeJwt(accessToken).sub!;

/** Follows the provider's redirects as a browser would; returns the query of the redirect back to us. */
async function visit(authorizationUrl: string, loginHint = 'ada'): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  url.searchParams.set('login_hint', loginHint);
  while (!url.href.startsWith(redirectUri)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  return url.searchParams.toString();
}

describe('signing in with an OpenID Connect provider', () => {
  it('creates a user with the name from the provider, and finds the same user at the next sign-in', async () => {
    const signInAs = async (who: string) => {
      const { authorizationUrl, browserSecret } = await begin('honest');
      return signIn.completeSignIn(await visit(authorizationUrl, who), browserSecret);
    };
    const first = await signInAs('ada');
    const userId = subjectOf(first.accessToken);
    await expect(test.users.findById(userId)).resolves.toMatchObject({ name: 'Name of ada' });
    expect(subjectOf((await signInAs('ada')).accessToken)).toBe(userId);
    expect(subjectOf((await signInAs('bob')).accessToken)).not.toBe(userId);
  });

  it('lets in only people with the claims that the operator requires', async () => {
    for (const [who, outcome] of [
      ['bob', 'PERMISSION_DENIED'],
      ['ada', 'OK'],
    ] as const) {
      const { authorizationUrl, browserSecret } = await begin('strict');
      const completing = signIn.completeSignIn(await visit(authorizationUrl, who), browserSecret);
      const code = await completing.then(
        () => 'OK',
        (error: unknown) => (error as { code: string }).code,
      );
      expect([who, code]).toEqual([who, outcome]);
    }
  });

  it('stores neither the state nor the browser’s secret', async () => {
    const { authorizationUrl, browserSecret } = await begin('honest');
    const stored = JSON.stringify(
      await test.mongo.db.collection('pending_sign_ins').find().toArray(),
    );
    const { searchParams } = new URL(authorizationUrl);
    expect(stored).not.toContain(browserSecret);
    expect(stored).not.toContain(searchParams.get('state'));
    expect(searchParams.get('code_challenge_method')).toBe('S256');
  });

  it('completes a sign-in only once', async () => {
    const { authorizationUrl, browserSecret } = await begin('honest');
    const query = await visit(authorizationUrl);
    await expect(signIn.completeSignIn(query, browserSecret)).resolves.toBeDefined();
    await expect(signIn.completeSignIn(query, browserSecret)).rejects.toMatchObject(refused);
  });

  it('completes a sign-in only in the browser in which it began, even after an attempt in another browser', async () => {
    const [mine, theirs] = [await begin('honest'), await begin('honest')];
    const query = await visit(mine.authorizationUrl);
    const elsewhere = signIn.completeSignIn(query, theirs.browserSecret);
    await expect(elsewhere).rejects.toMatchObject(refused);
    await expect(signIn.completeSignIn(query, mine.browserSecret)).resolves.toBeDefined();
  });

  it('refuses a sign-in that is not completed within ten minutes', async () => {
    const { authorizationUrl, browserSecret } = await begin('honest');
    const query = await visit(authorizationUrl);
    test.advance(600_000);
    await expect(signIn.completeSignIn(query, browserSecret)).rejects.toMatchObject(refused);
  });

  it('refuses the code of another sign-in', async () => {
    const [mine, theirs] = [await begin('honest'), await begin('honest')];
    const stolen = new URLSearchParams(await visit(theirs.authorizationUrl, 'bob'));
    const query = new URLSearchParams(await visit(mine.authorizationUrl));
    query.set('code', stolen.get('code')!);
    const completing = signIn.completeSignIn(query.toString(), mine.browserSecret);
    await expect(completing).rejects.toMatchObject({
      ...refused,
      message: '"honest" refused the sign-in (invalid_grant); start again',
    });
  });

  it('refuses a response that names another issuer, or none', async () => {
    for (const iss of [hostile.issuer, undefined]) {
      const { authorizationUrl, browserSecret } = await begin('honest');
      const query = new URLSearchParams(await visit(authorizationUrl));
      if (iss === undefined) query.delete('iss');
      else query.set('iss', iss);
      const completing = signIn.completeSignIn(query.toString(), browserSecret);
      await expect(completing).rejects.toMatchObject(refused);
    }
  });

  it('reports that the person declined to sign in', async () => {
    const { authorizationUrl, browserSecret } = await begin('hostile');
    const state = new URL(authorizationUrl).searchParams.get('state')!;
    const query = new URLSearchParams({ error: 'access_denied', state }).toString();
    await expect(signIn.completeSignIn(query, browserSecret)).rejects.toMatchObject({
      ...refused,
      message: '"hostile" did not sign you in (access_denied); start again',
    });
  });

  const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
  it.each<[string, HostileAnswer, string]>([
    ['whose ID token has another nonce', { claims: { nonce: 'other' } }, 'UNAUTHENTICATED'],
    ['whose ID token has no nonce', { claims: { nonce: undefined } }, 'UNAUTHENTICATED'],
    ['whose ID token is for another audience', { claims: { aud: 'another' } }, 'UNAUTHENTICATED'],
    [
      'whose ID token is from another issuer',
      { claims: { iss: 'https://example.org' } },
      'UNAUTHENTICATED',
    ],
    [
      'whose ID token has expired',
      { claims: { iat: hourAgo, exp: hourAgo + 60 } },
      'UNAUTHENTICATED',
    ],
    ['whose ID token has a forged signature', { hasForgedSignature: true }, 'UNAUTHENTICATED'],
    [
      'whose code has expired',
      { failure: { status: 400, error: 'invalid_grant' } },
      'UNAUTHENTICATED',
    ],
    ['while the provider is broken', { failure: { status: 503, error: 'away' } }, 'UNAVAILABLE'],
  ])(
    'a sign-in %s fails, and the reason is logged unless the provider is unavailable',
    async (_, answer, code) => {
      const { authorizationUrl, browserSecret } = await begin('hostile');
      hostile.prepare(authorizationUrl, answer);
      const state = new URL(authorizationUrl).searchParams.get('state')!;
      const query = new URLSearchParams({ code: 'c', state }).toString();
      warnings.length = 0;
      await expect(signIn.completeSignIn(query, browserSecret)).rejects.toMatchObject({ code });
      const refusals = code === 'UNAUTHENTICATED' ? 1 : 0;
      expect(warnings).toEqual(
        Array.from({ length: refusals }, () =>
          expect.objectContaining({ provider: 'hostile', error: expect.any(String) }),
        ),
      );
      const keys = await test.mongo.db.collection('connector_keys').find().toArray();
      expect(JSON.stringify(keys)).not.toContain(encodeURIComponent(hostile.issuer));
    },
  );

  it('accepts a valid ID token', async () => {
    const { authorizationUrl, browserSecret } = await begin('hostile');
    hostile.prepare(authorizationUrl, {});
    const state = new URL(authorizationUrl).searchParams.get('state')!;
    const query = new URLSearchParams({ code: 'c', state }).toString();
    await expect(signIn.completeSignIn(query, browserSecret)).resolves.toBeDefined();
  });

  it('reports that a provider cannot be reached', async () => {
    await expect(begin('away')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The sign-in provider "away" cannot be reached; try again later',
    });
  });

  it('limits the sign-ins in progress from one address, without affecting other addresses', async () => {
    const crowded = '198.51.100.7';
    for (let count = 0; count < maxPendingPerAddress; count += 1) await begin('honest', crowded);
    await expect(begin('honest', crowded)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(begin('honest', '198.51.100.8')).resolves.toBeDefined();
    test.advance(signInLifetimeMs);
    await expect(begin('honest', crowded)).resolves.toBeDefined();
  });

  it('refuses an unknown provider and a redirect address that is not configured', async () => {
    const invalid = { code: 'INVALID_ARGUMENT' };
    await expect(begin('none')).rejects.toMatchObject(invalid);
    const elsewhere = signIn.beginSignIn('honest', `${redirectUri}/other`, '192.0.2.1');
    await expect(elsewhere).rejects.toMatchObject(invalid);
  });
});
