import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, startTarget, type TestTarget } from '../test-support/raw-http';
import { TestEdges, testLimits, type Exposed, type TestEdge } from '../test-support/test-edge';
import { parseNetworks } from './visitor-address';

let edges: TestEdges;
let target: TestTarget;
let site: TestEdge;

beforeAll(async () => {
  edges = await TestEdges.open();
  target = await startTarget((_, response) => void response.end('hello'));
  site = await edges.start();
});
afterAll(async () => {
  await edges.close();
  await target.close();
});

const expose = (wish: Parameters<TestEdge['expose']>[1] = {}): Promise<Exposed> =>
  site.expose({ kind: 'port', port: target.port }, wish);
const basic = (password: string, user = 'anyone') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const bearer = (password: string) => ({ authorization: `Bearer ${password}` });

describe('what a visitor may not see', () => {
  it('looks the same whatever the reason', async () => {
    const outside = await edges.start({ localNetworks: parseNetworks(['10.0.0.0/8'])! });
    const local = await expose({ mode: 'local_network' });
    const gone = await expose();
    await site.deleteEndpoint({ caller: { userId: 'u1' }, requestId: 'r1', endpointId: gone.id });
    const paths = ['/', '/e/', '/e/abcdefgh/', '/metrics', local.path, gone.path];
    const answers = await Promise.all(paths.map((path) => ask(outside.port, path)));
    for (const { status, body, headers } of answers) {
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

describe('a password', () => {
  it('is asked for, taken by Basic and Bearer, and not shown to the target', async () => {
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
    ['in the place of the user name', (password: string) => basic('', password)],
    ['in part', (password: string) => bearer(password.slice(0, -1))],
    ['in no scheme', (password: string) => ({ authorization: password })],
  ])('%s does not open it', async (what, headersOf) => {
    const { path, password } = await expose({ auth: 'password' });
    const other = await expose({ auth: 'password' });
    const presented = what === 'of another endpoint' ? other.password : password;
    expect(await ask(site.port, path, { headers: headersOf(presented) })).toMatchObject({
      status: 401,
    });
  });

  it('cannot be tried for long, from the same address and at the same endpoint', async () => {
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

  it('is the target’s where the edge asks for none', async () => {
    const { path } = await expose();
    await ask(site.port, path, { headers: bearer('for-the-target') });
    expect(target.seen.at(-1)!.headers.authorization).toBe('Bearer for-the-target');
  });

  it('that was drawn anew ends the old one', async () => {
    const { id: endpointId, path, password } = await expose({ auth: 'password' });
    const drawn = await site.updateEndpoint({
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
    expect(await ask(site.port, path, { headers: bearer(drawn.password) })).toMatchObject({
      status: 200,
    });
  });
});

describe('the rate', () => {
  const few = { perSecond: 0.01, burst: 2 };
  const statuses = async ({ port }: TestEdge, path: string, localAddress: string) => {
    const found: number[] = [];
    for (let i = 0; i < 3; i++) found.push((await ask(port, path, { localAddress })).status);
    return found;
  };

  it('of one address is limited, also for what is not there', async () => {
    const slow = await edges.start({ limits: { ...testLimits, perAddress: few } });
    const { path } = await expose();
    expect(await statuses(slow, '/e/abcdefgh/', '127.0.0.3')).toEqual([404, 404, 429]);
    expect(await statuses(slow, path, '127.0.0.4')).toEqual([200, 200, 429]);
  });

  it('of one endpoint is limited, and who lacks the password cannot use it up', async () => {
    const slow = await edges.start({ limits: { ...testLimits, perEndpoint: few } });
    const { path } = await expose();
    const guarded = await expose({ auth: 'password' });
    expect(await statuses(slow, path, '127.0.0.5')).toEqual([200, 200, 429]);
    expect(await statuses(slow, path, '127.0.0.6')).toEqual([429, 429, 429]);
    expect(await statuses(slow, guarded.path, '127.0.0.7')).toEqual([401, 401, 401]);
    const headers = bearer(guarded.password);
    expect(await ask(slow.port, guarded.path, { headers })).toMatchObject({ status: 200 });
  });

  it('is counted without telling endpoints apart', async () => {
    const counted = await edges.start();
    const { path } = await expose();
    await ask(counted.port, path);
    await ask(counted.port, '/');
    const text = await counted.registry.metrics();
    expect(text).toContain('daycare_edge_requests_total{outcome="served"} 1');
    expect(text).toContain('daycare_edge_requests_total{outcome="not_found"} 1');
  });
});
