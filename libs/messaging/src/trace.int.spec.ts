import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { eventually } from '@daycare/testing';
import { draft } from './test-support/test-parts';
import { useCourier } from './test-support/use-courier';

const sent = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceFlags: 1,
};

describe('the trace of a message', () => {
  const on = useCourier();
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });
  afterAll(() => {
    context.disable();
    propagation.disable();
  });

  it('goes on in the consumer, across the outbox and NATS', async () => {
    const { courier } = on;
    const seen: (string | undefined)[] = [];
    courier.consumer({
      handle: async () => void seen.push(trace.getActiveSpan()?.spanContext().traceId),
    });
    const relay = courier.relay();
    const traced = trace.setSpanContext(context.active(), sent);
    await context.with(traced, () => courier.send(relay, [draft('lane')]));
    await courier.send(relay, [draft('lane')]);
    await eventually(() => seen.length === 2);
    expect(seen[0]).toBe(sent.traceId);
    expect(seen[1]).not.toBe(sent.traceId);
  });
});
