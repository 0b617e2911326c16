import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { continueTrace } from './trace';

const sampled = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const unsampled = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

describe('continueTrace', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    const spanProcessors = [new SimpleSpanProcessor(exporter)];
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  });
  afterAll(() => trace.disable());
  afterEach(() => exporter.reset());

  it('runs the task in a child of the span that sent the message', async () => {
    const seen = await continueTrace(sampled, 'handle', async (traceparent) => traceparent);
    const [span] = exporter.getFinishedSpans();
    const { traceId, spanId } = span!.spanContext();
    expect(seen).toBe(`00-${traceId}-${spanId}-01`);
    expect([traceId, span!.parentSpanContext?.spanId]).toEqual(sampled.split('-').slice(1, 3));
  });

  it('marks a failed task’s span as an error', async () => {
    const failing = continueTrace(sampled, 'handle', () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(exporter.getFinishedSpans()).toMatchObject([{ status: { code: 2 } }]);
  });

  it('passes on an unsampled trace without creating a span', async () => {
    const seen = await continueTrace(unsampled, 'handle', async (traceparent) => traceparent);
    expect(seen).toBe(unsampled);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
