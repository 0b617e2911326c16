import { describe, expect, it } from '@jest/globals';
import type { TokenPair } from '@daycare/contracts/identity';
import { SessionCookies } from '../sessions/session-cookie';
import { startTestGateway } from '../test-support/test-gateway';

const key = 'a key that is long enough for a gateway';
const env = { DAYCARE_GATEWAY_SESSION_KEY: key };
const hourMs = 3_600_000;

function tokens(): TokenPair {
  const [accessExpiresAt, refreshExpiresAt] = [hourMs, 2 * hourMs].map(
    (ms) => new Date(Date.now() + ms),
  );
  return { accessToken: 'access', accessExpiresAt, refreshToken: 'refresh', refreshExpiresAt };
}

/** Returns the cookie of a session whose token is about to expire. */
function expiringCookie(): string {
  const now = Date.now();
  const stored = {
    accessToken: 'old',
    accessExpiresAtMs: now + 1_000,
    refreshToken: 'old',
    refreshExpiresAtMs: now + hourMs,
  };
  return new SessionCookies({ key }).keep(stored, false, now).split(';')[0]!;
}

describe('sign-in pages', () => {
  it('when a request that begins a sign-in renews an existing session, the response sets both cookies', async () => {
    const gateway = await startTestGateway(
      {
        identity: {
          refreshToken: async () => ({ tokens: tokens() }),
          beginSignIn: async () => ({
            authorizationUrl: 'https://provider.example/',
            browserSecret: 'secret',
          }),
        },
      },
      env,
    );
    const response = await fetch(`${gateway.url}/sign-in/provider`, {
      method: 'POST',
      body: new URLSearchParams({ provider: 'example' }),
      headers: { cookie: expiringCookie(), origin: gateway.url },
    });
    const names = response.headers.getSetCookie().map((cookie) => cookie.split('=')[0]);
    expect(names).toEqual(['daycare-session', 'daycare-sign-in']);
  });

  it.each(['HEAD', 'PUT', 'DELETE'])(
    'a %s request to the callback is refused and does not complete the sign-in',
    async (method) => {
      const gateway = await startTestGateway({
        identity: { completeSignIn: async () => ({ tokens: tokens() }) },
      });
      const response = await fetch(`${gateway.url}/sign-in/callback?code=a&state=b`, { method });
      expect([response.status, gateway.seen]).toEqual([405, []]);
    },
  );

  it('an error page has the title “Error”', async () => {
    const gateway = await startTestGateway();
    const response = await fetch(`${gateway.url}/sign-out`);
    expect(await response.text()).toContain('<title>Error – Daycare</title>');
  });

  it('a configured gateway URL without TLS is accepted only if it names this machine', async () => {
    const at = (url: string) => startTestGateway({}, { DAYCARE_GATEWAY_URL: url });
    await expect(at('http://localhost.evil.example')).rejects.toThrow('DAYCARE_GATEWAY_URL');
    await at('http://localhost:8080');
  });
});
