import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };

/** A span that was started for a piece of work. */
export interface StartedSpan {
  /** The span as a W3C `traceparent`, for work that this causes elsewhere. */
  readonly traceparent: string;
  /** Adds facts about the work; never text from people or models. */
  set(attributes: Attributes): void;
  /** Ends the span; pass an error code if the work failed. */
  end(failure?: string): void;
}

/** Starts a child span of a W3C `traceparent`, or the root span of a new trace. */
export function startSpan(
  name: string,
  kind: keyof typeof kinds,
  traceparent: string | undefined,
): StartedSpan {
  const options = { kind: kinds[kind] };
  const span = trace.getTracer('daycare').startSpan(name, options, contextOf(traceparent));
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    set(attributes) {
      span.setAttributes(attributes);
    },
    end(failure) {
      if (failure !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      }
      span.end();
    },
  };
}

/** Reports whether the sender of a W3C `traceparent` has sampled the trace. */
export function isSampled(traceparent: string | undefined): boolean {
  return traceparent !== undefined && /[13579bdf]$/.test(traceparent);
}

/** Runs `task` in the trace in which the message was sent, and in a new span if that trace is sampled. */
export async function continueTrace<T>(
  traceparent: string | undefined,
  spanName: string,
  task: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  if (!isSampled(traceparent)) return task(traceparent);
  const span = startSpan(spanName, 'consumer', traceparent);
  try {
    const result = await task(span.traceparent);
    span.end();
    return result;
  } catch (error) {
    span.end('failed');
    throw error;
  }
}

function contextOf(traceparent: string | undefined): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
