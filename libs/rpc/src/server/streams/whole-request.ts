import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@daycare/api';

/** Turns of the event loop to wait; in practice, the cancellation arrives within one. */
const turnsUntilCancelled = 3;

/**
 * The requests of a call that is answered once all of them have arrived. When a client cancels or its
 * connection is lost, grpc-js ends its requests as if they were complete and reports the cancellation a
 * moment later: half of an uploaded file would be stored as the whole. So the requests count as complete only
 * if no cancellation follows.
 */
export async function* wholeRequest(call: unknown): AsyncIterable<unknown> {
  const stream = call as Readable & { readonly cancelled: boolean };
  yield* stream.iterator({ destroyOnReturn: false });
  for (let turn = 0; turn < turnsUntilCancelled; turn += 1) {
    await setImmediate();
    if (stream.cancelled) throw new AppError('CANCELLED', 'The call was cancelled');
  }
}
