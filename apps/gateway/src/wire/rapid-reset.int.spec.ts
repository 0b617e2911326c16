import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { runtimeClient } from '../test-support/runtime-client';
import { startTestGateway, untilDisconnected } from '../test-support/test-gateway';
import { frame } from './envelopes';

const path = '/daycare.agent_runtime.v1.AgentRuntimeService/WatchAgent';
const unlimited = '1000000';
const env = {
  DAYCARE_GATEWAY_RATE_PER_SECOND: unlimited,
  DAYCARE_GATEWAY_RATE_BURST: unlimited,
  DAYCARE_GATEWAY_REQUESTS_PER_ADDRESS: unlimited,
};
const waves = 12;
const waveSize = 250;
/**
 * The streams are spread over this many connections, because Node closes a connection on which a client resets more
 * than a thousand streams in a burst.
 */
const connections = 4;

it('3,000 streams that are opened and reset do not end another caller’s stream', async () => {
  let opened = 0;
  let cancelled = 0;
  let proceed = (): void => undefined;
  const proceeded = new Promise<void>((resolve) => (proceed = resolve));
  const gateway = await startTestGateway(
    {
      runtime: {
        async *watchAgent({ agentId }, context) {
          opened += 1;
          yield { event: undefined };
          await (agentId === 'calm' ? proceeded : untilDisconnected(context));
          if (agentId === 'calm') yield { event: undefined };
          else cancelled += 1;
        },
      },
    },
    env,
  );
  const calm = runtimeClient(gateway, 'grpc')['watchAgent']!({ agentId: 'calm' });
  const events = calm[Symbol.asyncIterator]();
  await events.next();
  const sessions = Array.from({ length: connections }, () =>
    connect(gateway.url).on('error', () => undefined),
  );
  for (let wave = 0; wave < waves; wave += 1) {
    const session = sessions[wave % connections]!;
    const grpc = { 'content-type': 'application/grpc', te: 'trailers' };
    const streams = Array.from({ length: waveSize }, () => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...grpc });
      stream.on('error', () => undefined).end(frame(0, Buffer.alloc(0)));
      return stream.resume();
    });
    // Every second wave is reset only after it has reached the service; the waves in between may be reset earlier.
    if (wave % 2 === 0) await Promise.all(streams.map((stream) => once(stream, 'response')));
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    await Promise.all(streams.map((stream) => once(stream, 'close')));
  }
  await eventually(() => cancelled > 0 && cancelled === opened - 1, { timeoutMs: 120_000 });
  expect(cancelled).toBeGreaterThanOrEqual((waves / 2) * waveSize);
  proceed();
  expect(await events.next()).toMatchObject({ done: false });
  expect(await events.next()).toMatchObject({ done: true });
  for (const session of sessions) session.close();
}, 300_000);
