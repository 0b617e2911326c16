import { once } from 'node:events';
import { connect, constants, type ClientHttp2Stream } from 'node:http2';
import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway';

const path = '/daycare.identity.v1.IdentityService/GetJwks';
const env = {
  DAYCARE_GATEWAY_RATE_PER_SECOND: '1',
  DAYCARE_GATEWAY_RATE_BURST: '1',
  DAYCARE_MAX_STREAMS_PER_USER: '24',
};
/** Room for 24 streams and 16 calls. */
const maxHeld = 40;
const calls = 200;

/** Makes calls of which most are refused; returns those whose refusals are held back. */
async function flood(gateway: TestGateway) {
  const session = connect(gateway.url).on('error', () => undefined);
  const grpc = { 'content-type': 'application/grpc', te: 'trailers' };
  const streams = Array.from({ length: calls }, () => {
    const stream = session.request({ ':method': 'POST', ':path': path, ...grpc });
    stream.on('error', () => undefined).end(Buffer.alloc(5));
    return stream.resume();
  });
  const heldStreams = (): ClientHttp2Stream[] => streams.filter(({ closed }) => !closed);
  await eventually(() => heldStreams().length <= maxHeld, { intervalMs: 10 });
  return { session, held: heldStreams() };
}

it('refusals that are held back are answered when the gateway stops', async () => {
  const gateway = await startTestGateway({}, env);
  const { held } = await flood(gateway);
  expect(held).not.toEqual([]);
  const statuses = held.map(async (stream) => {
    const [headers] = (await once(stream, 'response')) as [Record<string, string>];
    return headers['grpc-status'];
  });
  await gateway.stop();
  expect(await Promise.all(statuses)).toEqual(held.map(() => '8'));
});

it('a call that is cancelled while its refusal is held back is not answered', async () => {
  const gateway = await startTestGateway({}, env);
  const { session, held } = await flood(gateway);
  for (const stream of held) stream.close(constants.NGHTTP2_CANCEL);
  // Answered after what was sent before.
  await new Promise((resolve) => session.ping(resolve));
  const answered = gateway.outcomes.length;
  await gateway.stop();
  expect(answered).toBeLessThan(calls);
  expect(gateway.outcomes).toHaveLength(answered);
});
