import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { FloodGuard } from './server/limits/flood-guard';
import { createRateLimiter } from './server/limits/rate-limiter';
import type { Caller } from './shared/call-context';
import { cleanups, identityClient, outcomes, pipeline, serve } from './test-support/test-server';

const maxCalls = 1_000;
const maxStreamsPerOwner = 24;
const maxCallsWhenSlowed = maxStreamsPerOwner + 16;
const holdMs = 100;
const path = '/daycare.identity.v1.IdentityService/GetUser';
const emptyMessage = Buffer.alloc(5);

/** Starts a server that refuses all but each caller's first call; the test chooses the callers. */
async function serveLimited(options: { calmMs?: number; holdMs?: number } = {}) {
  const limit = createRateLimiter({ perSecond: 0.001, burst: 1 });
  const callers = { next: (): Caller => ({ kind: 'user', userId: 'eve' }) };
  const { log } = pipeline;
  const floodGuard = new FloodGuard({ maxCalls, maxStreamsPerOwner, holdMs, log, ...options });
  const connections = { maxConcurrentCalls: maxCalls, maxAgeMs: 60_000, ageGraceMs: 60_000 };
  const server = await serve(
    { getUser: async () => ({}) },
    {},
    { authenticate: () => callers.next(), limit, floodGuard, defaultTimeoutMs: 600_000 },
    ['user', 'admin'],
    connections,
  );
  return { address: server.address, callers, server };
}

/** Opens a bare HTTP/2 connection, without a gRPC client's retries. */
async function openConnection(address: string): Promise<ClientHttp2Session> {
  const session = connect(`http://${address}`);
  session.on('error', () => undefined);
  cleanups.push(() => session.destroy());
  await once(session, 'remoteSettings');
  return session;
}

function send(session: ClientHttp2Session): ClientHttp2Stream {
  const grpc = { 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ':method': 'POST', ':path': path, ...grpc });
  stream.on('error', () => undefined).end(emptyMessage);
  return stream.resume();
}

/** Makes a call; resolves with its gRPC status once the response has arrived. */
async function call(session: ClientHttp2Session): Promise<string> {
  const stream = send(session);
  let status = '';
  for (const event of ['response', 'trailers'])
    stream.on(event, (headers: Record<string, string>) => (status = headers['grpc-status'] ?? ''));
  await once(stream, 'close').catch(() => undefined);
  return status;
}

const flood = (session: ClientHttp2Session, calls: number): Promise<string[]> =>
  Promise.all(Array.from({ length: calls }, () => call(session)));

const maxStreamsOf = (session: ClientHttp2Session): number | undefined =>
  session.remoteSettings.maxConcurrentStreams;

describe('when a connection floods a service', () => {
  it('the flooding connection may have only a few calls in progress, and its refusals are delayed', async () => {
    const { address } = await serveLimited();
    const eve = await openConnection(address);
    expect(maxStreamsOf(eve)).toBe(maxCalls);
    await flood(eve, 100);
    await eventually(() => maxStreamsOf(eve) === maxCallsWhenSlowed);
    const startedAt = performance.now();
    const statuses = await flood(eve, 2 * maxCallsWhenSlowed);
    // Node's HTTP/2 client obeys the limit on concurrent streams, so half of the calls waited for the other half.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2 * holdMs - 10);
    expect(new Set(statuses)).toEqual(new Set(['8']));
    const late = outcomes.slice(-2 * maxCallsWhenSlowed);
    expect(Math.min(...late.map(({ durationMs }) => durationMs))).toBeGreaterThan(holdMs - 10);
  });

  it('other connections from the same address are not slowed', async () => {
    const { address, callers } = await serveLimited();
    const eve = await openConnection(address);
    await flood(eve, 100);
    await eventually(() => maxStreamsOf(eve) === maxCallsWhenSlowed);
    callers.next = () => ({ kind: 'user', userId: 'ada' });
    const ada = await openConnection(address);
    expect([await call(ada), await call(ada)]).toEqual(['0', '8']);
    expect(maxStreamsOf(ada)).toBe(maxCalls);
    expect(outcomes.at(-1)?.durationMs).toBeLessThan(holdMs);
  });

  it('the connection is no longer slowed after a time without refusals', async () => {
    const { address } = await serveLimited({ calmMs: 50 });
    const eve = await openConnection(address);
    const limits: (number | undefined)[] = [];
    eve.on('remoteSettings', () => limits.push(maxStreamsOf(eve)));
    await flood(eve, 100);
    await eventually(() => limits.at(-1) === maxCalls);
    expect(limits[0]).toBe(maxCallsWhenSlowed);
  });

  it("the connection is not slowed if it carries calls from three users, as a proxy's does", async () => {
    const { address, callers } = await serveLimited();
    const users = ['ada', 'bob', 'eve'].map((userId): Caller => ({ kind: 'user', userId }));
    let calls = 0;
    callers.next = () => users[(calls += 1) % users.length]!;
    const proxy = await openConnection(address);
    await flood(proxy, 200);
    expect(maxStreamsOf(proxy)).toBe(maxCalls);
    expect(outcomes.every(({ durationMs }) => durationMs < 10 * holdMs)).toBe(true);
    expect(outcomes.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(197);
  });

  it("a delayed refusal's retry hint counts from the time it is sent, and no refusal is sent after the deadline", async () => {
    const { address } = await serveLimited();
    const client = identityClient(address, 60_000);
    const callAndFail = (options?: { timeoutMs: number }): Promise<AppError> =>
      client.getUser({ userId: 'u1' }, options).then(
        () => new AppError('INTERNAL', 'was answered'),
        (error: unknown) => error as AppError,
      );
    await callAndFail();
    const early = await callAndFail();
    await Promise.all(Array.from({ length: 100 }, () => callAndFail()));
    const late = await callAndFail();
    const hintOf = ({ details }: AppError): number => details.retryAfterMs ?? NaN;
    expect(outcomes.at(-1)?.durationMs).toBeGreaterThan(holdMs - 10);
    expect(hintOf(early) - hintOf(late)).toBeGreaterThanOrEqual(holdMs);
    const hurried = await callAndFail({ timeoutMs: holdMs });
    expect(hurried.code).toBe('RATE_LIMITED');
  });

  it('delayed refusals are sent immediately when the service stops', async () => {
    const { address, server } = await serveLimited({ holdMs: 60_000 });
    const eve = await openConnection(address);
    const statuses = flood(eve, 200);
    await eventually(() => outcomes.length === 200 - maxCallsWhenSlowed);
    await server.drain(30_000);
    expect((await statuses).filter((status) => status === '8')).toHaveLength(199);
  });

  it('a call that is cancelled while its refusal is held back ends only once, as cancelled', async () => {
    const { address, server } = await serveLimited({ holdMs: 60_000 });
    const eve = await openConnection(address);
    const streams = Array.from({ length: 200 }, () => send(eve));
    await eventually(() => outcomes.length === 200 - maxCallsWhenSlowed);
    const heldStreams = () => streams.filter(({ closed }) => !closed);
    await eventually(() => heldStreams().length === maxCallsWhenSlowed);
    for (const stream of heldStreams()) stream.close(constants.NGHTTP2_CANCEL);
    await eventually(() => outcomes.length === 200);
    await server.drain(30_000);
    const codes = outcomes.slice(-maxCallsWhenSlowed).map(({ code }) => code);
    expect(codes).toEqual(Array(maxCallsWhenSlowed).fill('CANCELLED'));
    expect(outcomes).toHaveLength(200);
  });
});
