import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { jwks, post, startTestGateway, untilLeft } from '../test-support/test-gateway';
import { runtimeClient } from '../test-support/runtime-client';

const identity = 'daycare.identity.v1.IdentityService';
const watch = 'daycare.agent_runtime.v1.AgentRuntimeService/WatchAgent';

describe('limits of the gateway', () => {
  it('refuses requests beyond the rate with the time to wait', async () => {
    const env = { DAYCARE_GATEWAY_RATE_PER_SECOND: '1', DAYCARE_GATEWAY_RATE_BURST: '1' };
    const gateway = await startTestGateway({ identity: { getJwks: async () => jwks } }, env);
    expect((await post(gateway, `${identity}/GetJwks`)).status).toBe(200);
    const refused = await post(gateway, `${identity}/GetJwks`);
    const { code, details } = (await refused.json()) as { code: string; details: object[] };
    expect(code).toBe('resource_exhausted');
    expect(details).toContainEqual(expect.objectContaining({ type: 'google.rpc.RetryInfo' }));
    const route = await fetch(`${gateway.url}/files/some`);
    expect([route.status, route.headers.get('retry-after')]).toEqual([429, '1']);
  });

  it('refuses streams beyond the limit of one address', async () => {
    const gateway = await startTestGateway(
      {
        runtime: {
          async *watchAgent(_, context) {
            yield { event: undefined };
            await untilLeft(context);
          },
        },
      },
      { DAYCARE_GATEWAY_REQUESTS_PER_ADDRESS: '1' },
    );
    const leaving = new AbortController();
    const client = runtimeClient(gateway, 'grpc');
    let received = 0;
    const reading = (async () => {
      for await (const _ of client['watchAgent']!({}, { signal: leaving.signal })) received += 1;
    })();
    await eventually(() => received === 1);
    const second = (async () => {
      for await (const _ of client['watchAgent']!({})) received += 1;
    })();
    await expect(second).rejects.toThrow('Too many requests of your address');
    leaving.abort();
    await expect(reading).rejects.toThrow();
    await eventually(async () => (await post(gateway, watch)).status !== 429);
  });
});

describe('pages of other origins', () => {
  const env = { DAYCARE_GATEWAY_ORIGINS: 'https://console.example' };

  it.each([
    ['https://console.example', 204, 'https://console.example'],
    ['https://evil.example', 403, null],
  ])('a preflight of %s gets %i', async (origin, status, allowed) => {
    const gateway = await startTestGateway({}, env);
    const response = await fetch(`${gateway.url}/${identity}/GetJwks`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
  });

  it('a page may read an answer only if its origin is listed', async () => {
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
