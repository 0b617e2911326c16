import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@daycare/api';

/** Turns of the event loop to wait; in practice, the cancellation arrives within one. */
const turnsUntilCancelled = 3;

/**
 * Yields the requests of a call with a single response. When a client cancels or its connection is lost, grpc-js ends
 * the requests as if they were complete and reports the cancellation a moment later. So that half of an uploaded file
 * is not stored as if it were the whole file, this generator throws if a cancellation follows the last request.
 */
export async function* wholeRequest(call: unknown): AsyncIterable<unknown> {
  const stream = call as Readable & { readonly cancelled: boolean };
  yield* stream.iterator({ destroyOnReturn: false });
  for (let turn = 0; turn < turnsUntilCancelled; turn += 1) {
    await setImmediate();
    if (stream.cancelled) throw new AppError('CANCELLED', 'The call was cancelled');
  }
}
