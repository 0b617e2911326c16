import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import type { TokenPair } from '@daycare/contracts/identity';
import type { CallOrigin } from '../rpc/call-origin';
import type { IdentityCalls } from './identity-calls';
import { makeOwnOrigin } from './own-origin';
import { RequestAuthority, toTokens } from './request-authority';
import { SessionCookies } from './session-cookie';

const nowMs = Date.parse('2026-11-17T10:00:00Z');
const host = '127.0.0.1:8080';
const cookies = new SessionCookies({ key: 'a key that is hard to guess' });
const anonymous: CallOrigin = { address: '1.2.3.4', authorization: '', requestId: 'r' };

let calls: string[];
let failure: AppError | undefined;
let finish: Promise<void>;
let setCookies: string[];
let authority: RequestAuthority;

const pairOf = (name: string): TokenPair => ({
  accessToken: `access of ${name}`,
  accessExpiresAt: new Date(nowMs + 900_000),
  refreshToken: `after ${name}`,
  refreshExpiresAt: new Date(nowMs + 86_400_000),
});

beforeEach(() => {
  [calls, failure, finish, setCookies] = [[], undefined, Promise.resolve(), []];
  const respond = async (call: string): Promise<TokenPair> => {
    calls.push(call);
    await finish;
    if (failure) throw failure;
    return pairOf(call);
  };
  const identity = { refresh: respond, exchange: respond } as unknown as IdentityCalls;
  const ownOrigin = makeOwnOrigin(undefined);
  authority = new RequestAuthority({ identity, cookies, ownOrigin, now: () => nowMs });
});

const tokenOf = (userId: string): string =>
  ['header', Buffer.from(JSON.stringify({ sub: userId })).toString('base64url'), 'mac'].join('.');

/** Returns a request with the cookie of a session whose access token expires in `expiresInMs`. */
function request(
  expiresInMs: number,
  headers: Record<string, string> = {},
  method = 'POST',
  { accessToken = 'old', url = '/' } = {},
) {
  const tokens = {
    accessToken,
    accessExpiresAtMs: nowMs + expiresInMs,
    refreshToken: 'refresh',
    refreshExpiresAtMs: nowMs + 86_400_000,
  };
  const [cookie = ''] = cookies.keep(tokens, false, nowMs).split(';');
  const ownPage = { host, origin: `http://${host}` };
  return { method, url, headers: { ...ownPage, cookie, ...headers } } as unknown as IncomingMessage;
}

async function authorise(incoming: IncomingMessage, origin = anonymous): Promise<CallOrigin> {
  const response = {
    setHeader: (_name: string, value: string) => void setCookies.push(value),
  } as unknown as ServerResponse;
  return authority.authorise(incoming, response, origin);
}

describe('a request from a signed-in browser', () => {
  it('a request with a session’s cookie is forwarded with the session’s token', async () => {
    await expect(authorise(request(120_000))).resolves.toMatchObject({
      authorization: 'Bearer old',
    });
    expect([calls, setCookies]).toEqual([[], []]);
  });

  it('a token that is about to expire is renewed, and so is the cookie', async () => {
    const { authorization } = await authorise(request(60_000));
    expect(authorization).toBe('Bearer access of refresh');
    const [cookie = ''] = setCookies;
    expect(cookie).toMatch(/; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/);
    expect(cookies.read(cookie.split(';')[0]!, false)?.refreshToken).toBe('after refresh');
  });

  it('a token is renewed only once for requests that arrive concurrently or shortly after one another', async () => {
    let release = (): void => undefined;
    finish = new Promise((resolve) => (release = resolve));
    const together = [1, 2, 3].map(() => authorise(request(0)));
    release();
    await Promise.all(together);
    await authorise(request(0));
    expect(calls).toEqual(['refresh']);
  });

  it('a browser is signed out when its session has ended', async () => {
    failure = new AppError('UNAUTHENTICATED', 'The refresh token is not valid');
    await expect(authorise(request(0))).resolves.toEqual(anonymous);
    expect(setCookies).toEqual([expect.stringContaining('daycare-session=; Path=/; Max-Age=0')]);
  });

  it('a browser stays signed in while identity is unavailable', async () => {
    failure = new AppError('UNAVAILABLE', 'away');
    const { authorization, refusal } = await authorise(request(30_000));
    expect([authorization, refusal]).toEqual(['Bearer old', undefined]);
    await expect(authorise(request(0))).resolves.toMatchObject({ refusal: failure });
    expect(setCookies).toEqual([]);
  });

  it.each([
    ['another origin', { origin: 'http://127.0.0.1:9999' }],
    ['an opaque origin', { origin: 'null' }],
    ['no origin', { origin: '' }],
  ])('a request from a page with %s is refused', async (_, headers) => {
    const { refusal, authorization } = await authorise(request(120_000, headers));
    expect([refusal?.code, authorization]).toEqual(['PERMISSION_DENIED', '']);
  });

  it('a read that a page from another origin triggered is forwarded without the session’s token', async () => {
    const headers = { origin: '', 'sec-fetch-site': 'same-site' };
    await expect(authorise(request(120_000, headers, 'GET'))).resolves.toEqual(anonymous);
    const own = { origin: '', 'sec-fetch-site': 'same-origin' };
    const { authorization } = await authorise(request(120_000, own, 'GET'));
    expect(authorization).toBe('Bearer old');
  });

  it('a cookie is ignored if it was encrypted with another key, or if the gateway is reached under an unknown host name', async () => {
    const rebound = request(120_000, { host: 'evil.example', origin: 'http://evil.example' });
    await expect(authorise(rebound)).resolves.toEqual(anonymous);
    const foreign = new SessionCookies({ key: 'another key' });
    const [sealed = ''] = foreign.keep(toTokens(pairOf('someone')), false, nowMs).split(';');
    await expect(authorise(request(0, { cookie: sealed }))).resolves.toEqual(anonymous);
  });
});

describe('a request from a page that was loaded for one user', () => {
  const accessToken = tokenOf('ada');
  const bearer = `Bearer ${accessToken}`;
  /** Returns a page's request, which may name the expected user in a header and in the URL. Omits an empty header. */
  const requestFor = (header: string, url: string, method: string, expiresInMs = 120_000) =>
    request(
      expiresInMs,
      { 'sec-fetch-site': 'same-origin', ...(header && { 'x-expected-user': header }) },
      method,
      { accessToken, url },
    );

  it.each([
    ['names the session’s user in a header', 'ada', '/files', 'POST'],
    ['names the session’s user in its URL', '', '/files/f1?expected-user=ada', 'GET'],
    ['names no user', '', '/files?name=a', 'POST'],
  ])('a page’s request that %s is forwarded', async (_, header, url, method) => {
    const { refusal, authorization } = await authorise(requestFor(header, url, method));
    expect([refusal, authorization]).toEqual([undefined, bearer]);
  });

  it.each([
    ['in the header of a call', 'bob', '/', 'POST'],
    ['in the URL of a form', '', '/sign-out?expected-user=bob', 'POST'],
    ['in the URL of a file', '', '/files/f1?expected-user=bob', 'GET'],
    ['in a path that is not a valid URL', '', '//[?expected-user=bob', 'GET'],
    [
      'in a header, although its URL names the session’s user',
      'bob',
      '/files/f1?expected-user=ada',
      'GET',
    ],
  ])(
    'a page’s request is refused when it names another user %s',
    async (_, header, url, method) => {
      // The session is not renewed for such a request either.
      const { refusal, authorization } = await authorise(requestFor(header, url, method, 0));
      expect(refusal).toMatchObject({
        code: 'UNAUTHENTICATED',
        details: { metadata: { session: 'another_user' } },
      });
      expect([authorization, calls, setCookies]).toEqual(['', [], []]);
    },
  );

  it('a page’s request is refused when the session’s user cannot be read', async () => {
    const unreadable = request(120_000, { 'x-expected-user': 'ada' });
    await expect(authorise(unreadable)).resolves.toMatchObject({
      refusal: { code: 'UNAUTHENTICATED' },
    });
  });

  it('a page’s request with its own credential is forwarded, whichever user it names', async () => {
    const origin = { ...anonymous, authorization: 'Bearer own' };
    await expect(authorise(requestFor('bob', '/', 'POST'), origin)).resolves.toBe(origin);
  });
});

describe('a request with its own credential', () => {
  it('the credential is forwarded unchanged, whatever the cookie contains', async () => {
    const origin = { ...anonymous, authorization: 'Bearer own' };
    await expect(authorise(request(0), origin)).resolves.toBe(origin);
  });

  it('a personal access token is exchanged only once for many requests', async () => {
    const origin = { ...anonymous, authorization: 'Bearer dcp_secret' };
    const plain = { method: 'POST', headers: {} } as IncomingMessage;
    for (let count = 0; count < 3; count += 1) {
      const { authorization } = await authorise(plain, origin);
      expect(authorization).toBe('Bearer access of dcp_secret');
    }
    expect(calls).toEqual(['dcp_secret']);
  });

  it('a request with a revoked personal access token is refused', async () => {
    failure = new AppError('UNAUTHENTICATED', 'The personal access token is not valid');
    const origin = { ...anonymous, authorization: 'Bearer dcp_secret' };
    await expect(authorise(request(0), origin)).resolves.toMatchObject({ refusal: failure });
  });
});
