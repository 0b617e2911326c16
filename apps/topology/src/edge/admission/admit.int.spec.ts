import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, startTarget, type TestTarget } from '../../test-support/raw-http';
import type { ExposedEndpoint, TestEdge } from '../../test-support/test-edge';
import { useTestSite } from '../../test-support/use-test-site';

const { edges, site } = useTestSite();

let target: TestTarget;

beforeAll(async () => {
  target = await startTarget((_, response) => void response.end('hello'));
});
afterAll(() => target.close());

const expose = (spec: Parameters<TestEdge['expose']>[1] = {}): Promise<ExposedEndpoint> =>
  site.expose({ kind: 'port', port: target.port }, spec);
const basic = (password: string, user = 'anyone') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const bearer = (password: string) => ({ authorization: `Bearer ${password}` });

describe('hidden endpoints', () => {
  it('a request for an endpoint that a visitor may not see gets the same response whatever the reason', async () => {
    const outside = await edges.start({ localNetworks: [{ address: '10.0.0.0', prefix: 8 }] });
    const local = await expose({ mode: 'local_network' });
    const deleted = await expose();
    await site.deleteEndpoint({
      caller: { userId: 'u1' },
      requestId: 'r1',
      endpointId: deleted.id,
    });
    const paths = ['/', '/e/', '/e/abcdefgh/', '/metrics', local.path, deleted.path];
    const responses = await Promise.all(paths.map((path) => ask(outside.port, path)));
    for (const { status, body, headers } of responses) {
      const { date: _, ...rest } = headers;
      expect([status, body, rest]).toEqual([
        404,
        'Not Found\n',
        {
          'content-type': 'text/plain; charset=utf-8',
          'content-length': '10',
          'cache-control': 'no-store',
          connection: 'close',
        },
      ]);
    }
    expect(await ask(site.port, local.path)).toMatchObject({ status: 200 });
  });
});

describe('passwords', () => {
  it('an endpoint’s password is requested, accepted as Basic and Bearer, and hidden from the target', async () => {
    const { path, password } = await expose({ auth: 'password' });
    const without = await ask(site.port, path);
    expect(without.status).toBe(401);
    expect(without.headers['www-authenticate']).toMatch(/^Basic realm=/);
    for (const headers of [basic(password), basic(password, ''), bearer(password)])
      expect(await ask(site.port, path, { headers })).toMatchObject({ status: 200 });
    expect(target.seen.at(-1)!.headers.authorization).toBeUndefined();
  });

  it.each([
    ['of another endpoint', bearer],
    ['in place of the user name', (password: string) => basic('', password)],
    ['that is incomplete', (password: string) => bearer(password.slice(0, -1))],
    ['without a scheme', (password: string) => ({ authorization: password })],
  ])('an endpoint refuses a password %s', async (what, headersOf) => {
    const { path, password } = await expose({ auth: 'password' });
    const other = await expose({ auth: 'password' });
    const presented = what === 'of another endpoint' ? other.password : password;
    expect(await ask(site.port, path, { headers: headersOf(presented) })).toMatchObject({
      status: 401,
    });
  });

  it('after ten wrong passwords for an endpoint, an address has to wait; other addresses and endpoints are not affected', async () => {
    const { path, password } = await expose({ auth: 'password' });
    const other = await expose({ auth: 'password' });
    const tries = Array.from({ length: 10 }, () => ask(site.port, path, { headers: bearer('x') }));
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(Array(10).fill(401));
    const locked = await ask(site.port, path, { headers: bearer(password) });
    expect(locked).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
    const elsewhere = { headers: bearer(password), localAddress: '127.0.0.2' };
    expect(await ask(site.port, path, elsewhere)).toMatchObject({ status: 200 });
    const headers = bearer(other.password);
    expect(await ask(site.port, other.path, { headers })).toMatchObject({ status: 200 });
  });

  it('credentials are forwarded to the target when the endpoint has no password', async () => {
    const { path } = await expose();
    await ask(site.port, path, { headers: bearer('for-the-target') });
    expect(target.seen.at(-1)!.headers.authorization).toBe('Bearer for-the-target');
  });

  it('a password is invalid once it has been rotated', async () => {
    const { id: endpointId, path, password } = await expose({ auth: 'password' });
    const rotated = await site.updateEndpoint({
      caller: { userId: 'u1' },
      requestId: 'rotate',
      signal: new AbortController().signal,
      endpointId,
      change: {
        name: undefined,
        target: undefined,
        mode: undefined,
        auth: undefined,
        rotatePassword: true,
      },
    });
    expect(await ask(site.port, path, { headers: bearer(password) })).toMatchObject({
      status: 401,
    });
    expect(await ask(site.port, path, { headers: bearer(rotated.password) })).toMatchObject({
      status: 200,
    });
  });
});

describe('rate limits and metrics', () => {
  const lowRate = { perSecond: 0.01, burst: 2 };
  const statuses = async ({ port }: TestEdge, path: string, localAddress: string) => {
    const received: number[] = [];
    for (let i = 0; i < 3; i++) received.push((await ask(port, path, { localAddress })).status);
    return received;
  };

  it('the rate of requests is limited per address, even for endpoints that do not exist', async () => {
    const slow = await edges.start({ limits: { perAddress: lowRate } });
    const { path } = await expose();
    expect(await statuses(slow, '/e/abcdefgh/', '127.0.0.3')).toEqual([404, 404, 429]);
    expect(await statuses(slow, path, '127.0.0.4')).toEqual([200, 200, 429]);
  });

  it('the rate of requests is limited per endpoint, and visitors without the password cannot use up the limit', async () => {
    const slow = await edges.start({ limits: { perEndpoint: lowRate } });
    const { path } = await expose();
    const guarded = await expose({ auth: 'password' });
    expect(await statuses(slow, path, '127.0.0.5')).toEqual([200, 200, 429]);
    expect(await statuses(slow, path, '127.0.0.6')).toEqual([429, 429, 429]);
    expect(await statuses(slow, guarded.path, '127.0.0.7')).toEqual([401, 401, 401]);
    const headers = bearer(guarded.password);
    expect(await ask(slow.port, guarded.path, { headers })).toMatchObject({ status: 200 });
  });

  it('requests are counted in metrics that do not identify endpoints', async () => {
    const counted = await edges.start();
    const { path } = await expose();
    await ask(counted.port, path);
    await ask(counted.port, '/');
    const text = await counted.registry.metrics();
    expect(text).toContain('daycare_edge_requests_total{outcome="served"} 1');
    expect(text).toContain('daycare_edge_requests_total{outcome="not_found"} 1');
  });
});
