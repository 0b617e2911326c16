import { randomUUID } from 'node:crypto';
import type { CallHeaders } from './call-context';

/** The metadata key of the W3C trace context. */
export const traceparentKey = 'traceparent';

const valid = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Returns the trace that the caller sent; undefined if the caller sent none or an invalid one. */
export function readTraceparent(metadata: CallHeaders): string | undefined {
  const [value] = metadata.get(traceparentKey);
  return typeof value === 'string' && valid.test(value) ? value : undefined;
}

/** Creates a trace that is not sampled; it only links log lines and messages. */
export function newTraceparent(): string {
  const traceId = randomUUID().replaceAll('-', '');
  return `00-${traceId}-${randomUUID().replaceAll('-', '').slice(16)}-00`;
}

/** Returns the id that all of a trace's spans and log lines share. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** Returns the same trace, but not sampled. */
export function unsampled(traceparent: string): string {
  return traceparent.endsWith('-00') ? traceparent : `${traceparent.slice(0, -2)}00`;
}
