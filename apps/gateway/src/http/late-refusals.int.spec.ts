import { once } from 'node:events';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { afterEach, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import {
  jwks,
  startTestGateway,
  untilDisconnected,
  type TestGateway,
} from '../test-support/test-gateway';

const path = '/daycare.identity.v1.IdentityService/GetJwks';
const env = {
  // One call that stays open takes the only slot, so all other calls are refused, however slowly they arrive.
  DAYCARE_GATEWAY_REQUESTS_PER_ADDRESS: '1',
  DAYCARE_MAX_STREAMS_PER_USER: '24',
};
/** The time for which refusals are held back: longer than any test. */
const holdMs = 3_600_000;
/** The limit on a slowed connection: 24 streams and 16 other calls. */
const slowedCalls = 40;
/** The same with the default limit of 32 streams. */
const slowedCallsByDefault = 48;
const grpc = { 'content-type': 'application/grpc', te: 'trailers' };

const sessions: ClientHttp2Session[] = [];
afterEach(() => sessions.splice(0).forEach((session) => session.destroy()));

/** Starts a gateway that refuses every further call until `freeSlot` is called. */
async function startFullGateway() {
  let entered = (): void => undefined;
  const isFull = new Promise<void>((resolve) => (entered = resolve));
  const identity = {
    async getJwks(_request: unknown, context: Parameters<typeof untilDisconnected>[0]) {
      entered();
      await untilDisconnected(context);
      return jwks;
    },
  };
  const gateway = await startTestGateway({ identity }, env, { holdMs });
  const occupant = send(await open(gateway));
  await isFull;
  const freeSlot = async (): Promise<void> => {
    occupant.close(constants.NGHTTP2_CANCEL);
    await eventually(() => gateway.outcomes.some(({ code }) => code === 'CANCELLED'));
  };
  return { gateway, freeSlot };
}

async function open({ url }: TestGateway): Promise<ClientHttp2Session> {
  const session = connect(url).on('error', () => undefined);
  sessions.push(session);
  // Until a client has received the server's limit, it sends fewer calls at a time.
  await once(session, 'remoteSettings');
  return session;
}

function send(session: ClientHttp2Session, headers: OutgoingHttpHeaders = grpc): ClientHttp2Stream {
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
  stream.on('error', () => undefined);
  stream.end(headers === grpc ? Buffer.alloc(5) : '{}');
  return stream.resume();
}

/** Opens a connection and sends so many calls on it that the gateway slows it. */
async function openSlowed(gateway: TestGateway, calls = 60): Promise<ClientHttp2Session> {
  const session = await open(gateway);
  const streams = Array.from({ length: calls }, () => send(session));
  await eventually(() => session.remoteSettings.maxConcurrentStreams === slowedCalls);
  // Cancels the pending calls, which would count towards the slowed connection's limit.
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  await untilReceived(session);
  return session;
}

/** Resolves when the gateway has received everything that was sent before on this connection. */
function untilReceived(session: ClientHttp2Session): Promise<unknown> {
  return new Promise((resolve) => session.ping(resolve));
}

async function responseHeaderOf(stream: ClientHttp2Stream, field: string): Promise<unknown> {
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  return headers[field];
}

it('refusals that are held back are sent when the gateway stops', async () => {
  const { gateway, freeSlot } = await startFullGateway();
  const session = await openSlowed(gateway);
  const held = Array.from({ length: 10 }, () => send(session));
  const statuses = held.map((stream) => responseHeaderOf(stream, 'grpc-status'));
  await untilReceived(session);
  expect(held.map(({ closed }) => closed)).toEqual(held.map(() => false));
  await freeSlot();
  await gateway.stop();
  expect(await Promise.all(statuses)).toEqual(held.map(() => '8'));
});

it('a call that is cancelled while its refusal is held back is not counted as refused', async () => {
  const { gateway, freeSlot } = await startFullGateway();
  const session = await openSlowed(gateway);
  const held = Array.from({ length: 10 }, () => send(session));
  await untilReceived(session);
  await freeSlot();
  const outcomesBefore = gateway.outcomes.length;
  for (const stream of held) stream.close(constants.NGHTTP2_CANCEL);
  await untilReceived(session);
  await gateway.stop();
  expect(gateway.outcomes).toHaveLength(outcomesBefore);
});

it.each<[string, OutgoingHttpHeaders, string, unknown]>([
  ['gRPC', { ...grpc, 'grpc-timeout': '5S' }, 'grpc-status', '8'],
  ['Connect', { 'content-type': 'application/json', 'connect-timeout-ms': '5000' }, ':status', 429],
])(
  'a refusal of a call over %s is not held back beyond the caller’s deadline',
  async (_, headers, field, refused) => {
    const { gateway, freeSlot } = await startFullGateway();
    const session = await openSlowed(gateway);
    const waiting = send(session);
    const callWithDeadline = send(session, headers);
    expect(await responseHeaderOf(callWithDeadline, field)).toBe(refused);
    await untilReceived(session);
    expect(waiting.closed).toBe(false);
    await freeSlot();
  },
);

it('a client keeps its connection even if it has hundreds of calls in progress when the connection is slowed', async () => {
  const { gateway, freeSlot } = await startFullGateway();
  const session = await openSlowed(gateway, 500);
  const headers = { ...grpc, 'grpc-timeout': '5S' };
  expect(await responseHeaderOf(send(session, headers), 'grpc-status')).toBe('8');
  await freeSlot();
});

it.each<[string, OutgoingHttpHeaders]>([
  ['gRPC', grpc],
  ['Connect', { 'content-type': 'application/json' }],
])(
  'a connection is slowed when a service refuses many of its calls over %s, but other connections are not',
  async (_, headers) => {
    const refusal = new AppError('RATE_LIMITED', 'Too many calls', { retryAfterMs: 1_000 });
    let calls = 0;
    const identity = {
      async getJwks(_request: unknown, context: Parameters<typeof untilDisconnected>[0]) {
        calls += 1;
        if (calls <= 200) throw refusal;
        await untilDisconnected(context);
        return jwks;
      },
    };
    const slots = { DAYCARE_GATEWAY_REQUESTS_PER_ADDRESS: '200' };
    const gateway = await startTestGateway({ identity }, slots, { holdMs });
    const [flooding, calm] = [await open(gateway), await open(gateway)];
    const flood = Array.from({ length: 200 }, () => send(flooding, headers));
    const countAnswered = (): number => flood.filter(({ closed }) => closed).length;
    await eventually(() => countAnswered() === 200 - slowedCallsByDefault);
    expect(flooding.remoteSettings.maxConcurrentStreams).toBe(slowedCallsByDefault);
    // Refusals that are held back do not take up other requests' slots.
    const calmStreams = Array.from({ length: 200 }, () => send(calm));
    await eventually(() => calls === 400);
    expect(calmStreams.filter(({ closed }) => closed)).toEqual([]);
    expect(countAnswered()).toBe(200 - slowedCallsByDefault);
    const held = flood.filter(({ closed }) => !closed).map((stream) => once(stream, 'close'));
    for (const stream of calmStreams) stream.close(constants.NGHTTP2_CANCEL);
    await gateway.stop();
    await Promise.all(held);
  },
);
