import { AppError } from '@daycare/api';
import { withTimeout } from '@daycare/async';

export function isStream<T>(request: object): request is AsyncIterable<T> {
  return Symbol.asyncIterator in request;
}

/** How long a stream of requests may go without a request. */
export const maxSilenceMs = 600_000;

/** Yields the items of a stream, and throws when the next item does not arrive in time. */
export async function* endWhenSilent<T>(
  items: AsyncIterable<T>,
  maxSilenceMs: number,
): AsyncGenerator<T, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withTimeout(iterator.next(), maxSilenceMs, () =>
        silenceError(maxSilenceMs),
      );
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited, because a source that has gone silent may not respond to this either.
    void iterator.return?.();
  }
}

function silenceError(ms: number): AppError {
  const message = `The stream received no request for ${ms / 1_000} seconds; open it again`;
  return new AppError('DEADLINE_EXCEEDED', message);
}
