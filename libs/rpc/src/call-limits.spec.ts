import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { PostMessageRequest, WatchAgentRequest } from '@daycare/contracts/agent-runtime';
import { GetJwksResponse } from '@daycare/contracts/identity';
import { eventually } from '@daycare/testing';
import { createRateLimiter } from './server/limits/rate-limiter';
import { StreamLimiter } from './server/limits/stream-limiter';
import type { Caller } from './shared/call-context';
import { identityClient, outcomes, runtimeClient, serve } from './test-support/test-server';

const codes = (): string[] => outcomes.map(({ code }) => code);

describe('the rate limit', () => {
  it.each<[string, Caller]>([
    ['an anonymous caller', { kind: 'anonymous' }],
    ['a user without the required role', { kind: 'user', userId: 'ada' }],
  ])('applies to %s even if every call is refused', async (_, caller) => {
    const limit = createRateLimiter({ perSecond: 0.001, burst: 2 });
    const { address } = await serve({}, {}, { authenticate: () => caller, limit });
    const client = identityClient(address);
    for (let call = 0; call < 4; call += 1) {
      await expect(client.batchGetUsers({ userIds: [] })).rejects.toBeInstanceOf(AppError);
    }
    expect(codes().slice(2)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('counts calls that present a refresh token per session', async () => {
    const limit = createRateLimiter({ perSecond: 0.001, burst: 1 });
    const { address } = await serve(
      {
        refreshToken: async () => ({}),
        getJwks: async () => GetJwksResponse.create(),
      },
      {},
      { authenticate: () => ({ kind: 'anonymous' }), limit },
      ['anyone'],
    );
    const client = identityClient(address);
    const refresh = (session: string) => client.refreshToken({ refreshToken: `${session}.secret` });
    await client.getJwks({});
    await expect(client.getJwks({})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await refresh('session1');
    await refresh('session2');
    await expect(refresh('session1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('counts a call with an invalid credential only once', async () => {
    const limit = createRateLimiter({ perSecond: 0.001, burst: 2 });
    const authenticate = () => {
      throw new AppError('UNAUTHENTICATED', 'The token has expired');
    };
    const handlers = { getJwks: async () => GetJwksResponse.create() };
    const { address } = await serve(handlers, {}, { authenticate, limit }, ['anyone']);
    const client = identityClient(address);
    for (let call = 0; call < 3; call += 1) await client.getJwks({}).catch(() => undefined);
    expect(codes()).toEqual(['OK', 'OK', 'RATE_LIMITED']);
  });
});

describe('a server with size limits', () => {
  it('refuses requests that are larger than their method allows', async () => {
    const { address } = await serve(
      { getUser: async () => ({}), batchGetUsers: async () => ({ users: [] }) },
      { postMessage: async () => ({ messageId: 'm', agentId: 'a', afterSequence: 0 }) },
      {},
      ['anyone'],
    );
    const tooLarge = {
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^The request is larger than \d+ KiB$/),
    };
    const kib = (count: number): string => 'x'.repeat(count * 1_024);
    const client = identityClient(address);
    await client.getUser({ userId: kib(63) });
    await expect(client.getUser({ userId: kib(65) })).rejects.toMatchObject(tooLarge);
    const ids = Array.from({ length: 100_000 }, () => 'x');
    await expect(client.batchGetUsers({ userIds: ids })).rejects.toMatchObject(tooLarge);
    const runtime = runtimeClient(address);
    const message = PostMessageRequest.create({ requestId: 'r' });
    await runtime.postMessage({ ...message, text: '😀'.repeat(32_768) });
    await expect(runtime.postMessage({ ...message, text: kib(300) })).rejects.toMatchObject(
      tooLarge,
    );
  });

  it('reports an oversized request or response as INVALID_ARGUMENT, not as RATE_LIMITED', async () => {
    const mib = (count: number): string => 'x'.repeat(count << 20);
    const { address } = await serve(
      {
        getJwks: async () => GetJwksResponse.create({ jwksJson: mib(5) }),
        getUser: async () => ({}),
      },
      {},
      {},
      ['anyone'],
    );
    const client = identityClient(address);
    const tooLarge = { code: 'INVALID_ARGUMENT', message: expect.stringContaining('too large') };
    await expect(client.getUser({ userId: mib(3) })).rejects.toMatchObject(tooLarge);
    await expect(client.getUser({ userId: mib(5) })).rejects.toMatchObject(tooLarge);
    await expect(client.getJwks({})).rejects.toMatchObject(tooLarge);
  });
});

describe('open streams', () => {
  it('are counted per owner, or per address if anonymous, until they end, however they end', async () => {
    const streams = new StreamLimiter({ perOwner: 3, perAddress: 1, total: 10 });
    let caller: Caller = { kind: 'user', userId: 'ada' };
    let fail = (): void => undefined;
    const { address } = await serve(
      {},
      {
        async *watchAgent(_request, { signal }) {
          yield {};
          await new Promise((resolve, reject) => {
            fail = () => reject(new Error('broken'));
            signal.addEventListener('abort', resolve);
          });
        },
      },
      { authenticate: () => caller, enterStream: (who, call) => streams.enter(who, call) },
      ['user', 'subuser', 'anyone'],
    );
    const client = runtimeClient(address);
    const open = async () => {
      const stream = client.watchAgent(WatchAgentRequest.create())[Symbol.asyncIterator]();
      await stream.next();
      return stream;
    };
    const first = await open();
    caller = { kind: 'user', userId: 'helper', parentUserId: 'ada' };
    const second = await open();
    const third = await open();
    await expect(open()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await first.return?.(undefined);
    await eventually(() => streams.size === 2);
    fail();
    await expect(third.next()).rejects.toMatchObject({ code: 'INTERNAL' });
    await eventually(() => streams.size === 1);
    caller = { kind: 'anonymous' };
    const anonymous = await open();
    await expect(open()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await Promise.all([second.return?.(undefined), anonymous.return?.(undefined)]);
    await eventually(() => streams.size === 0);
  });
});

describe('connections', () => {
  it('are replaced when they are old, without failing any call', async () => {
    const peers = new Set<string>();
    const { address } = await serve(
      { getUser: async () => ({}) },
      {},
      { limit: (_caller, call) => void peers.add(call.getPeer()) },
      ['admin'],
      { maxConcurrentCalls: 2, maxAgeMs: 100, ageGraceMs: 5_000 },
    );
    const client = identityClient(address);
    await eventually(async () => {
      const calls = Array.from({ length: 5 }, () => client.getUser({ userId: 'u1' }));
      await Promise.all(calls);
      return peers.size >= 3;
    });
    expect(codes()).not.toContain('UNAVAILABLE');
  });
});
