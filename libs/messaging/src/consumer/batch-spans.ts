import { isSampled, startSpan } from '../shared/trace';
import type { BatchHandler, ReceivedMessage } from './batch-handler';

/** Runs `task` with one span for each sampled message, in the trace in which the message was sent. */
export async function traceBatch(
  messages: readonly ReceivedMessage[],
  { storesInPrepare = false }: BatchHandler,
  task: () => Promise<void>,
): Promise<void> {
  // A handler that handles messages one by one starts their spans itself.
  const spans = (storesInPrepare ? [] : messages)
    .filter(({ traceparent }) => isSampled(traceparent))
    .map(({ traceparent }) => startSpan('handle system message', 'consumer', traceparent));
  try {
    await task();
  } finally {
    for (const span of spans) span.end();
  }
}
