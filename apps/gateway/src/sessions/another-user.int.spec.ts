import { describe, expect, it } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway';
import { SessionCookies } from './session-cookie';

const key = 'a key that is long enough for a gateway';
const runtime = 'daycare.agent_runtime.v1.AgentRuntimeService';

/** Returns the cookie of Bob, who signed in after Ada. */
function bobsCookie(): string {
  const [now, hourMs] = [Date.now(), 3_600_000];
  const payload = Buffer.from(JSON.stringify({ sub: 'bob' })).toString('base64url');
  const tokens = {
    accessToken: `header.${payload}.mac`,
    accessExpiresAtMs: now + hourMs,
    refreshToken: 'refresh',
    refreshExpiresAtMs: now + hourMs,
  };
  return new SessionCookies({ key }).keep(tokens, false, now).split(';')[0]!;
}

describe('a window whose session another user has replaced', () => {
  const start = () => startTestGateway({}, { DAYCARE_GATEWAY_SESSION_KEY: key });
  const send = (
    { url }: TestGateway,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    init: RequestInit = { method: 'POST', body: '{}' },
  ): Promise<Response> => {
    const ownHeaders = { cookie: bobsCookie(), origin: url, 'sec-fetch-site': 'same-origin' };
    return fetch(url + path, {
      ...init,
      redirect: 'manual',
      headers: { ...ownHeaders, ...headers },
    });
  };
  const asAda = { 'x-expected-user': 'ada' };

  it.each([
    ['a call', `/${runtime}/PostMessage`, 'application/json', 401],
    ['a stream', `/${runtime}/WatchAgent`, 'application/connect+json', 200],
    ['an upload', '/files?name=a', 'text/plain', 401],
  ])(
    '%s for the previous user is refused with an error that names the reason, and is not forwarded',
    async (...row) => {
      const [, path, type, status] = row;
      const gateway = await start();
      const response = await send(gateway, path, { ...asAda, 'content-type': type });
      expect(response.status).toBe(status);
      const text = await response.text();
      expect(text).toContain('"code":"unauthenticated"');
      expect(text).toContain('Another user has signed in with this browser; reload the page');
      expect(text).toContain('"session":"another_user"');
      expect(gateway.seen).toEqual([]);
    },
  );

  it('a download whose URL names the previous user is refused', async () => {
    const gateway = await start();
    const response = await send(gateway, '/files/f1?expected-user=ada', {}, { method: 'GET' });
    expect([response.status, gateway.seen]).toEqual([401, []]);
  });

  it('the sign-out button of the previous user’s window signs no one out and leads to the new user’s pages', async () => {
    const gateway = await start();
    const response = await send(gateway, '/sign-out?expected-user=ada');
    const { headers } = response;
    expect([response.status, headers.get('location'), headers.get('set-cookie')]).toEqual([
      ...[303, '/', null],
    ]);
    expect(gateway.seen).toEqual([]);
  });

  it('windows of the new user keep working, and so do clients that name no user', async () => {
    const gateway = await start();
    const json = { 'content-type': 'application/json' };
    for (const headers of [{ ...json, 'x-expected-user': 'bob' }, json])
      await send(gateway, `/${runtime}/ListAgents`, headers);
    expect(gateway.seen).toHaveLength(2);
    const signedOut = await send(gateway, '/sign-out?expected-user=bob');
    expect(gateway.seen).toHaveLength(3);
    expect(signedOut.status).not.toBe(401);
  });
});
