import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import type { CallPipeline } from './server/call-pipeline';
import type { Caller } from './shared/call-context';
import { identityClient, logged, serve } from './test-support/test-server';

describe('a server', () => {
  it("continues the caller's trace in the handler, and in the handler's own calls and log lines", async () => {
    const seen: string[] = [];
    const { address } = await serve({
      async getUser(_request, { traceparent }) {
        seen.push(traceparent);
        throw new AppError('UNAVAILABLE', 'not now');
      },
      async resolveNametag(_request, { traceparent }) {
        seen.push(traceparent);
        await client.refreshToken({ refreshToken: 't' }, { traceparent });
        return {};
      },
      async refreshToken(_request, { traceparent, log }) {
        seen.push(traceparent);
        log.info({ own: 'field' }, 'a line');
        return {};
      },
    });
    const client = identityClient(address);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    await client.resolveNametag({ nametag: 'x1' }, { traceparent });
    expect(seen).toEqual([traceparent, traceparent]);
    const method = '/daycare.identity.v1.IdentityService/RefreshToken';
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    expect(logged).toEqual([{ level: 'info', fields: { own: 'field', traceId, method } }]);
  });

  it('starts a trace for a call without one, and adds its id to the log lines', async () => {
    let seen = '';
    const { address } = await serve({
      async getUser(_request, { traceparent }) {
        seen = traceparent;
        throw new Error('broken');
      },
    });
    const call = identityClient(address).getUser({ userId: 'u1' });
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL' });
    const traceId = seen.split('-')[1];
    expect(traceId).toMatch(/^[\da-f]{32}$/);
    expect(logged).toEqual([{ level: 'error', fields: expect.objectContaining({ traceId }) }]);
  });

  it("starts a span for a sampled call and ends the span with the call's error code", async () => {
    const spans: unknown[] = [];
    const startSpan: CallPipeline['startSpan'] = (name, trace) => {
      spans.push([name, trace]);
      return { traceparent: 'span', end: (failure) => void spans.push(failure) };
    };
    let seen = '';
    const { address } = await serve(
      {
        async getUser(_request, { traceparent }) {
          seen = traceparent;
          throw new AppError('NOT_FOUND', 'no');
        },
      },
      {},
      { startSpan },
    );
    const call = identityClient(address).getUser({ userId: 'u1' });
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(spans).toEqual([
      [
        'daycare.identity.v1.IdentityService/GetUser',
        { parent: undefined, isCallersChoice: false },
      ],
      'NOT_FOUND',
    ]);
    expect(seen).toBe('span');
  });

  it.each<[string, Caller, boolean]>([
    ['a service', { kind: 'service', service: 'topology', proof: 'token' }, true],
    ['a service that acts for a user', { kind: 'user', userId: 'u', via: 'topology' }, true],
    ['an operator', { kind: 'admin', proof: 'token' }, false],
  ])(
    'lets only services decide whether a call is sampled (caller: %s)',
    async (_, caller, decides) => {
      const seen: unknown[] = [];
      const { address } = await serve(
        {
          async getUser(_request, { traceparent }) {
            seen.push(traceparent);
            return {};
          },
        },
        {},
        {
          authenticate: () => caller,
          startSpan: (_name, { isCallersChoice }) => void seen.push(isCallersChoice),
        },
        ['admin', 'service', 'user'],
      );
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      await identityClient(address).getUser({ userId: 'u1' }, { traceparent });
      expect(seen).toEqual([decides, decides ? traceparent : traceparent.replace(/01$/, '00')]);
    },
  );
});
