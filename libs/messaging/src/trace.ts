import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
} from '@opentelemetry/api';

/** The active trace as a W3C `traceparent`, or undefined when nothing is traced. */
export function activeTraceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** Runs `task` as a span of the trace that the sender of a message was in. */
export async function continueTrace<T>(
  traceparent: string | undefined,
  spanName: string,
  task: () => Promise<T>,
): Promise<T> {
  const tracer = trace.getTracer('@daycare/messaging');
  const options = { kind: SpanKind.CONSUMER };
  return tracer.startActiveSpan(spanName, options, contextOf(traceparent), async (span) => {
    try {
      return await task();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function contextOf(traceparent: string | undefined): Context {
  return traceparent ? propagation.extract(context.active(), { traceparent }) : context.active();
}
