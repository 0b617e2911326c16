import type { Readable } from 'node:stream';
import { AppError } from '@daycare/api';

/**
 * Yields the requests of a bidirectional stream until the client has sent the last one or the server has ended the
 * call; throws if the client has cancelled it.
 *
 * Node's own iterator would destroy the stream when the server ends the call with an error. Responses that were still
 * being sent would then be lost together with the status, and the client would wait for them forever.
 */
export async function* readRequests(call: unknown): AsyncGenerator {
  const stream = call as Readable;
  let end = endOf(stream);
  let wake = noop;
  const wakeUp = (): void => wake();
  const complete = (): void => {
    end ??= 'complete';
    wake();
  };
  const cancel = (): void => {
    end ??= 'cancelled';
    wake();
  };
  stream.on('readable', wakeUp).on('end', complete).on('error', complete).on('close', cancel);
  try {
    for (;;) {
      // Once the call has ended, requests that have arrived but have not been read yet are dropped.
      const request: unknown = end === undefined ? stream.read() : null;
      if (request !== null) yield request;
      else if (end === 'complete') return;
      else if (end === 'cancelled') throw new AppError('CANCELLED', 'The call was cancelled');
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stream.off('readable', wakeUp).off('end', complete).off('error', complete).off('close', cancel);
  }
}

/** Returns how a call has already ended, because its last event is not emitted again; undefined if it has not ended. */
function endOf(stream: Readable): 'complete' | 'cancelled' | undefined {
  if (stream.readableEnded) return 'complete';
  return stream.destroyed ? 'cancelled' : undefined;
}

const noop = (): void => undefined;
