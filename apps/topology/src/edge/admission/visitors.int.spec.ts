import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { ask, RawClient, startTarget, type TestTarget } from '../../test-support/raw-http';
import type { ExposedEndpoint, TestEdge } from '../../test-support/test-edge';
import { useTestSite } from '../../test-support/use-test-site';

const { edges, site } = useTestSite();
/** `ask` connects from this address by default. */
const proxy = '127.0.0.1';
const notAProxy = '127.0.0.2';

let target: TestTarget;
let edge: TestEdge;

beforeAll(async () => {
  target = await startTarget((_, response) => void response.end('hello'));
  edge = await edges.start({
    trustedProxies: [{ address: proxy, prefix: 32 }],
    localNetworks: [
      { address: '10.0.0.0', prefix: 8 },
      { address: '127.0.0.0', prefix: 8 },
    ],
    limits: { perAddress: { perSecond: 0.001, burst: 2 }, connectionsPerAddress: 3 },
  });
});
afterAll(() => target.close());

const expose = (spec: Parameters<TestEdge['expose']>[1] = {}): Promise<ExposedEndpoint> =>
  site.expose({ kind: 'port', port: target.port }, spec);
const askAs = (path: string, forwarded: string, localAddress = proxy) =>
  ask(edge.port, path, {
    localAddress,
    headers: forwarded === '' ? {} : { 'x-forwarded-for': forwarded },
  });

describe('visitors behind a trusted proxy', () => {
  it('visitors behind a proxy are limited by the addresses that the proxy forwards', async () => {
    const { path } = await expose();
    const askThrice = async (visitor: string) => {
      const responses = [];
      for (let call = 0; call < 3; call++) responses.push(await askAs(path, visitor));
      return responses.map(({ status }) => status);
    };
    expect(await askThrice('198.51.100.1')).toEqual([200, 200, 429]);
    expect(await askThrice('198.51.100.2')).toEqual([200, 200, 429]);
  });

  it('the program receives the address that the proxy forwards, not one that the visitor claims', async () => {
    const { path } = await expose();
    await askAs(path, '10.9.9.9, 198.51.100.3');
    expect(target.seen.at(-1)!.headers['x-forwarded-for']).toBe('198.51.100.3');
  });

  it.each([
    ['10.1.2.3', 200],
    ['198.51.100.4', 404],
    ['10.1.2.4, 198.51.100.4', 404],
    ['', 404],
  ])(
    'a visitor forwarded as "%s" gets %i from an endpoint for local networks',
    async (from, status) => {
      const { path } = await expose({ mode: 'local_network' });
      expect((await askAs(path, from)).status).toBe(status);
    },
  );

  it('a proxy may open more connections than a visitor', async () => {
    const clients = Array.from({ length: 6 }, () => new RawClient(edge.port));
    const { path } = await expose();
    expect(await askAs(path, '198.51.100.5')).toMatchObject({ status: 200 });
    expect(clients.filter(({ isEnded }) => isEnded)).toEqual([]);
    clients.forEach(({ socket }) => socket.destroy());
  });
});

describe('forwarded requests', () => {
  it('a visitor behind a proxy may have only as many requests in progress as a direct visitor may have connections', async () => {
    const waiting: ServerResponse[] = [];
    const slow = await startTarget((_, response) => void waiting.push(response));
    const { path } = await site.expose({ kind: 'port', port: slow.port });
    const busy = await edges.start({
      trustedProxies: [{ address: proxy, prefix: 32 }],
      limits: { connectionsPerAddress: 2 },
    });
    const send = (visitor: string) =>
      ask(busy.port, path, { headers: { 'x-forwarded-for': visitor } });
    const first = [send('198.51.100.7'), send('198.51.100.7')];
    await eventually(() => waiting.length === 2);
    expect((await send('198.51.100.7')).status).toBe(503);
    const other = send('198.51.100.8');
    await eventually(() => waiting.length === 3);
    for (const response of waiting) response.end();
    const answered = await Promise.all([...first, other]);
    expect(answered.map(({ status }) => status)).toEqual([200, 200, 200]);
    const again = send('198.51.100.7');
    await eventually(() => waiting.length === 4);
    waiting[3]!.end();
    expect((await again).status).toBe(200);
    await slow.close();
  });
});

describe('visitors who connect directly', () => {
  it('a visitor who connects directly has the address of the connection, whatever headers it sends', async () => {
    const { path } = await expose({ mode: 'local_network' });
    const outside = await edges.start({ localNetworks: [{ address: '10.0.0.0', prefix: 8 }] });
    const headers = { 'x-forwarded-for': '10.1.2.3' };
    expect((await ask(outside.port, path, { headers })).status).toBe(404);
    const { path: open } = await expose();
    await askAs(open, '198.51.100.6', notAProxy);
    expect(target.seen.at(-1)!.headers['x-forwarded-for']).toBe(notAProxy);
  });
});
