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
  let end: 'complete' | 'cancelled' | undefined;
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
      const request: unknown = stream.read();
      if (request !== null) yield request;
      else if (end === 'complete') return;
      else if (end === 'cancelled') throw new AppError('CANCELLED', 'The call was cancelled');
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stream.off('readable', wakeUp).off('end', complete).off('error', complete).off('close', cancel);
  }
}

const noop = (): void => undefined;
