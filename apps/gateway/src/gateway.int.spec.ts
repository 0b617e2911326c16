import { connect } from 'node:http2';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { jwks, post, startTestGateway, untilDisconnected } from './test-support/test-gateway';
import { runtimeClient } from './test-support/runtime-client';

const identity = 'daycare.identity.v1.IdentityService';
const runtime = 'daycare.agent_runtime.v1.AgentRuntimeService';

describe('one port', () => {
  it('the gateway serves HTTP/1.1 and HTTP/2 on the same port', async () => {
    const gateway = await startTestGateway({ identity: { getJwks: async () => jwks } });
    expect((await post(gateway, `${identity}/GetJwks`)).status).toBe(200);
    const session = connect(gateway.url);
    const stream = session.request({
      ':method': 'POST',
      ':path': `/${identity}/GetJwks`,
      'content-type': 'application/json',
    });
    stream.end('{}');
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
    session.destroy();
  });

  it('the gateway answers health checks', async () => {
    const gateway = await startTestGateway();
    const response = await post(gateway, 'grpc.health.v1.Health/Check');
    expect(await response.json()).toEqual({ status: 'SERVING' });
  });
});

describe('forwarding a call', () => {
  it('a forwarded call carries the caller’s credential, address and trace, but none of the caller’s other headers', async () => {
    const gateway = await startTestGateway({ identity: { getJwks: async () => jwks } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = {
      authorization: 'Bearer secret',
      traceparent,
      'x-forwarded-for': '203.0.113.9',
      'x-acting-for': 'someone',
      cookie: 'a=b',
    };
    await post(gateway, `${identity}/GetJwks`, {}, { headers });
    const { 'user-agent': _, ...forwarded } = gateway.seen[0]!;
    const expected = {
      authorization: 'Bearer secret',
      traceparent,
      'x-forwarded-for': '127.0.0.1',
    };
    expect(forwarded).toEqual(expected);
  });

  it('a forwarded call carries the client address that a trusted proxy states', async () => {
    const upstreams = { identity: { getJwks: async () => jwks } };
    const gateway = await startTestGateway(upstreams, { DAYCARE_TRUSTED_PROXIES: '127.0.0.1' });
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
    await post(gateway, `${identity}/GetJwks`, {}, { headers });
    expect(gateway.seen[0]).toMatchObject({ 'x-forwarded-for': '203.0.113.9' });
  });

  it('a forwarded call has the client’s deadline', async () => {
    let remainingMs = Infinity;
    const gateway = await startTestGateway({
      identity: {
        async getJwks(_, { deadline }) {
          remainingMs = deadline - Date.now();
          return jwks;
        },
      },
    });
    const headers = { 'connect-timeout-ms': '2500' };
    await post(gateway, `${identity}/GetJwks`, {}, { headers });
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(2_500);
  });

  it('an error does not reveal the address of a service that cannot be reached', async () => {
    const gateway = await startTestGateway({}, { DAYCARE_IDENTITY_ADDRESS: '127.0.0.1:1' });
    const response = await post(
      gateway,
      `${identity}/CreateUser`,
      {},
      {
        headers: { 'connect-timeout-ms': '3000' },
      },
    );
    const error = (await response.json()) as { message: string };
    expect(response.status).toBe(503);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(error.message).not.toContain('127.0.0.1');
  });

  it('a call with too large a message is refused', async () => {
    const gateway = await startTestGateway();
    const response = await post(gateway, `${identity}/CreateUser`, { name: 'x'.repeat(5 << 20) });
    expect(await response.json()).toMatchObject({ code: 'resource_exhausted' });
    expect(gateway.seen).toEqual([]);
  });
});

describe('forwarding a stream', () => {
  it.each(['grpc', 'connect'] as const)(
    'a forwarded stream over %s ends when its client disconnects',
    async (kind) => {
      let hasDisconnected = false;
      const gateway = await startTestGateway({
        runtime: {
          async *watchAgent(_, context) {
            yield { event: undefined };
            await untilDisconnected(context);
            hasDisconnected = true;
          },
        },
      });
      const leaving = new AbortController();
      const { watchAgent } = runtimeClient(gateway, kind);
      const reading = (async () => {
        for await (const _ of watchAgent!({}, { signal: leaving.signal })) leaving.abort();
      })();
      await expect(reading).rejects.toThrow();
      await eventually(() => hasDisconnected);
      expect(gateway.outcomes).toMatchObject([{ method: 'WatchAgent', code: 'CANCELLED' }]);
    },
  );

  it('a forwarded stream is read no faster than its client reads it', async () => {
    let sent = 0;
    const gateway = await startTestGateway({
      runtime: {
        async *exportAgent() {
          for (; sent < 2_000; sent += 1)
            yield { part: { $case: 'chunk' as const, value: Buffer.alloc(64 << 10) } } as never;
        },
      },
    });
    const session = connect(gateway.url);
    const stream = session.request({
      ':method': 'POST',
      ':path': `/${runtime}/ExportAgent`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.end(Buffer.alloc(5));
    await once(stream, 'response');
    let previous = -1;
    await eventually(
      () => {
        const isSteady = sent > 0 && sent === previous;
        previous = sent;
        return isSteady;
      },
      { intervalMs: 200 },
    );
    expect(sent).toBeLessThan(500);
    session.destroy();
  });

  it('a forwarded stream ends with UNAVAILABLE when the gateway stops, while other calls may finish', async () => {
    let proceed = (): void => undefined;
    const proceeded = new Promise<void>((resolve) => (proceed = resolve));
    const gateway = await startTestGateway({
      identity: {
        async getJwks() {
          await proceeded;
          return jwks;
        },
      },
      runtime: {
        async *watchAgent(_, context) {
          yield { event: undefined };
          await untilDisconnected(context);
        },
      },
    });
    const call = post(gateway, `${identity}/GetJwks`);
    let received = 0;
    const reading = (async () => {
      for await (const _ of runtimeClient(gateway, 'grpc')['watchAgent']!({})) received += 1;
    })();
    const ended = expect(reading).rejects.toThrow('This gateway is stopping');
    await eventually(() => received === 1 && gateway.seen.length === 2);
    const stopped = gateway.stop();
    await ended;
    proceed();
    expect((await call).status).toBe(200);
    await stopped;
  });
});

it('a forwarded error keeps its details', async () => {
  const gateway = await startTestGateway({
    identity: {
      getJwks: async () => {
        throw new AppError('FAILED_PRECONDITION', 'Not now', {
          precondition: { type: 'STATE', subject: 'key', description: 'is rotating' },
          metadata: { until: 'tomorrow' },
        });
      },
    },
  });
  const response = await post(gateway, `${identity}/GetJwks`);
  const { message, details } = (await response.json()) as {
    message: string;
    details: { debug: object }[];
  };
  expect(message).toBe('Not now');
  expect(details.map(({ debug }) => debug)).toEqual([
    { reason: 'FAILED_PRECONDITION', domain: 'daycare', metadata: { until: 'tomorrow' } },
    { violations: [{ type: 'STATE', subject: 'key', description: 'is rotating' }] },
  ]);
});
