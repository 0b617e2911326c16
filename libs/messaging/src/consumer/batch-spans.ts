import { isSampled, startSpan } from '../shared/trace';
import type { BatchHandler, ReceivedMessage } from './batch-handler';

/** Runs `task` with one span for each sampled message, in the trace in which the message was sent. */
export async function traceBatch(
  messages: readonly ReceivedMessage[],
  { storesInPrepare = false }: BatchHandler,
  task: () => Promise<void>,
): Promise<void> {
  // Only a one-by-one handler stores in `prepare`; it starts the span of each message itself.
  const spans = (storesInPrepare ? [] : messages)
    .filter(({ traceparent }) => isSampled(traceparent))
    .map(({ traceparent }) => startSpan('handle system message', 'consumer', traceparent));
  try {
    await task();
  } finally {
    for (const span of spans) span.end();
  }
}
