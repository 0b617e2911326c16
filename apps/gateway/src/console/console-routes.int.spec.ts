import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SessionCookies } from '../sessions/session-cookie';
import { startTestGateway } from '../test-support/test-gateway';

const key = 'a key that is long enough for a gateway';
const html = { accept: 'text/html,*/*' };

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

async function startWithConsole() {
  const folder = mkdtempSync(join(tmpdir(), 'daycare-console-'));
  folders.push(folder);
  mkdirSync(join(folder, 'assets'));
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><meta name="daycare-user" content="{{user}}" /><title>Console</title>',
  );
  writeFileSync(join(folder, 'assets', 'app-ABC.js'), 'run();'.repeat(100));
  const env = { DAYCARE_GATEWAY_CONSOLE_DIR: folder, DAYCARE_GATEWAY_SESSION_KEY: key };
  return startTestGateway({}, env);
}

/** Returns the cookie of a session whose access token has this payload. */
function sessionCookie(payload: object = { sub: 'ada' }): string {
  const [now, hourMs] = [Date.now(), 3_600_000];
  const tokens = {
    accessToken: `header.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.mac`,
    accessExpiresAtMs: now + hourMs,
    refreshToken: 'refresh',
    refreshExpiresAtMs: now + hourMs,
  };
  return new SessionCookies({ key }).keep(tokens, false, now).split(';')[0]!;
}

describe('console routes', () => {
  it('the console’s page is served at every path without a route when a signed-in browser opens it, with a strict policy', async () => {
    const { url } = await startWithConsole();
    for (const path of ['/', '/friends/otter7']) {
      const headers = { ...html, cookie: sessionCookie() };
      const response = await fetch(`${url}${path}`, { headers });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('Console'),
      ]);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
      expect(policy).not.toContain('unsafe');
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('the console’s page names the user for whom it was served', async () => {
    const { url } = await startWithConsole();
    const userIn = async (payload: object): Promise<string | undefined> => {
      const headers = { ...html, cookie: sessionCookie(payload) };
      const page = await (await fetch(url, { headers })).text();
      return /content="(.*?)" /.exec(page)?.[1];
    };
    expect(await userIn({ sub: 'ada' })).toBe('ada');
    expect(await userIn({ sub: '"><script>$&' })).toBe('&#34;&#62;&#60;script&#62;$&#38;');
    expect(await userIn({})).toBe('');
  });

  it('without a session, the console redirects to the sign-in page', async () => {
    const { url } = await startWithConsole();
    const response = await fetch(`${url}/friends`, { headers: html, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in']);
  });

  it('the console’s files may be cached for a year, and are compressed if the browser accepts that', async () => {
    const { url } = await startWithConsole();
    const response = await fetch(`${url}/assets/app-ABC.js`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(await response.text()).toBe('run();'.repeat(100));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
    });
    const plain = await fetch(`${url}/assets/app-ABC.js`, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect([plain.headers.get('content-encoding'), (await plain.text()).length]).toEqual([
      null,
      600,
    ]);
  });

  it.each(['/assets/../index.html', '/assets/unknown.js', '/assets/%2e%2e%2findex.html'])(
    'the console returns 404 for %s',
    async (path) => {
      const { url } = await startWithConsole();
      expect((await fetch(`${url}${path}`)).status).toBe(404);
    },
  );

  it('the console’s page is not sent for requests that do not accept HTML, or whose method is not GET', async () => {
    const { url } = await startWithConsole();
    expect((await fetch(`${url}/friends`)).status).toBe(404);
    const posted = await fetch(`${url}/friends`, { method: 'POST', headers: html });
    expect(posted.status).toBe(404);
  });

  it('a gateway without a built console returns 404 for its page, and still serves other routes', async () => {
    const { url } = await startTestGateway({}, { DAYCARE_GATEWAY_CONSOLE_DIR: '/nonexistent' });
    expect((await fetch(`${url}/`, { headers: html })).status).toBe(404);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  });
});
