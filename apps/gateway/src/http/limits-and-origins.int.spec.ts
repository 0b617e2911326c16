import { once } from 'node:events';
import { connect } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { jwks, post, startTestGateway, untilDisconnected } from '../test-support/test-gateway';
import { runtimeClient } from '../test-support/runtime-client';

const identity = 'daycare.identity.v1.IdentityService';

describe('the gateway', () => {
  it('refuses requests beyond the rate limit, and states how long to wait', async () => {
    const env = { DAYCARE_GATEWAY_RATE_PER_SECOND: '1', DAYCARE_GATEWAY_RATE_BURST: '1' };
    const gateway = await startTestGateway({ identity: { getJwks: async () => jwks } }, env);
    expect((await post(gateway, `${identity}/GetJwks`)).status).toBe(200);
    const refused = await post(gateway, `${identity}/GetJwks`);
    const { code, details } = (await refused.json()) as { code: string; details: object[] };
    expect(code).toBe('resource_exhausted');
    expect(details).toContainEqual(expect.objectContaining({ type: 'google.rpc.RetryInfo' }));
    const refusedFile = await fetch(`${gateway.url}/files/some`);
    expect([refusedFile.status, refusedFile.headers.get('retry-after')]).toEqual([429, '1']);
  });

  it.each(['grpc', 'connect'] as const)(
    'refuses streams over %s beyond the limit on concurrent requests per address',
    async (kind) => {
      const gateway = await startTestGateway(
        {
          runtime: {
            async *watchAgent(_, context) {
              yield { event: undefined };
              await untilDisconnected(context);
            },
          },
        },
        { DAYCARE_GATEWAY_REQUESTS_PER_ADDRESS: '1' },
      );
      const client = runtimeClient(gateway, kind);
      const leaving = new AbortController();
      const open = async (): Promise<IteratorResult<object>> =>
        client['watchAgent']!({}, { signal: leaving.signal })[Symbol.asyncIterator]().next();
      await open();
      await expect(open()).rejects.toThrow('Too many requests from your address');
      expect(gateway.outcomes).toMatchObject([{ method: 'WatchAgent', code: 'QUOTA_EXCEEDED' }]);
      leaving.abort();
      const watchAgain = runtimeClient(gateway, kind)['watchAgent']!;
      await eventually(async () => {
        const { done } = await watchAgain({})
          [Symbol.asyncIterator]()
          .next()
          .catch(() => ({ done: true }));
        return done !== true;
      });
    },
  );

  it.each([
    ['application/grpc', 200, '8', ''],
    ['application/grpc-web+proto', 200, '8', ''],
    ['application/connect+json', 200, undefined, '"code":"resource_exhausted"'],
    ['application/json', 429, undefined, '"code":"resource_exhausted"'],
  ])(
    'refuses a call beyond the rate limit without waiting for its message: content type %s',
    async (type, status, grpcStatus, text) => {
      const env = { DAYCARE_GATEWAY_RATE_PER_SECOND: '1', DAYCARE_GATEWAY_RATE_BURST: '1' };
      const gateway = await startTestGateway({ identity: { getJwks: async () => jwks } }, env);
      await post(gateway, `${identity}/GetJwks`);
      const session = connect(gateway.url);
      const path = { ':method': 'POST', ':path': `/${identity}/GetJwks` };
      const stream = session.request({ ...path, 'content-type': type }, { endStream: false });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      let body = '';
      for await (const chunk of stream.setEncoding('latin1') as AsyncIterable<string>)
        body += chunk;
      expect([headers[':status'], headers['grpc-status']]).toEqual([status, grpcStatus]);
      expect(headers['content-type']).toBe(type);
      expect(body).toContain(text);
      session.destroy();
    },
  );

  it('reduces the limit on concurrent requests for a flooding connection, but not for other connections', async () => {
    const env = { DAYCARE_GATEWAY_RATE_PER_SECOND: '1', DAYCARE_GATEWAY_RATE_BURST: '1' };
    const gateway = await startTestGateway({ identity: { getJwks: async () => jwks } }, env);
    const [eve, ada] = [connect(gateway.url), connect(gateway.url)];
    const path = { ':method': 'POST', ':path': `/${identity}/GetJwks` };
    const request = async (): Promise<void> => {
      const stream = eve.request({ ...path, 'content-type': 'application/json' }).resume();
      await once(stream.end('{}'), 'close');
    };
    await Promise.all(Array.from({ length: 100 }, request));
    await eventually(() => eve.remoteSettings.maxConcurrentStreams === 48);
    expect(ada.remoteSettings.maxConcurrentStreams).toBe(1_000);
    for (const session of [eve, ada]) session.destroy();
  });

  it('refuses a message that is too large for the RPC, and does not forward it', async () => {
    const gateway = await startTestGateway();
    const response = await post(gateway, `${identity}/CreateUser`, { name: 'x'.repeat(300_000) });
    expect(await response.json()).toMatchObject({ code: 'resource_exhausted' });
    expect([gateway.seen, gateway.outcomes]).toEqual([[], []]);
  });
});

describe('pages from other origins', () => {
  const env = { DAYCARE_GATEWAY_ORIGINS: 'https://console.example' };

  it.each([
    ['https://console.example', 204, 'https://console.example'],
    ['https://evil.example', 403, null],
  ])('a preflight from %s gets status %i', async (origin, status, allowed) => {
    const gateway = await startTestGateway({}, env);
    const response = await fetch(`${gateway.url}/${identity}/GetJwks`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
  });

  it('a page may read a response only if the page’s origin is listed', async () => {
    const gateway = await startTestGateway({ identity: { getJwks: async () => jwks } }, env);
    const read = async (origin: string) => {
      const response = await post(gateway, `${identity}/GetJwks`, {}, { headers: { origin } });
      return response.headers.get('access-control-allow-origin');
    };
    expect(await read('https://console.example')).toBe('https://console.example');
    expect(await read('https://evil.example')).toBeNull();
  });

  it('an origin with a path is rejected when the gateway starts', async () => {
    const bad = { DAYCARE_GATEWAY_ORIGINS: 'https://console.example/page' };
    await expect(startTestGateway({}, bad)).rejects.toThrow('DAYCARE_GATEWAY_ORIGINS');
  });
});
