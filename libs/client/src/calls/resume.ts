import { backoffMs } from '@daycare/async';
import { isDaycareError } from '../transport/daycare-error';
import type { ResumeOptions } from '../transport/transport';
import { pause } from './pause';

/**
 * A stream that fails with one of these is reopened; CANCELLED is one, because a stopping replica cancels its streams.
 */
const disconnectCodes = ['UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED'] as const;

/** A stream that stayed open for this long was accepted, even if nothing arrived on it. */
const acceptedAfterMs = 10_000;

export interface Timing {
  readonly backoff: Parameters<typeof backoffMs>[1];
  readonly now: () => number;
}

const defaultTiming: Timing = { backoff: { firstMs: 200, maxMs: 5_000 }, now: Date.now };

/**
 * Reads a stream to its end across lost connections and expired tokens. `open` must request what follows the last item.
 * Returns when the server ends the stream; throws on a permanent error, when `options.signal` aborts, and when the
 * connection is lost and `options.mayResume` returns false.
 */
export async function* resume<T>(
  open: () => AsyncIterable<T>,
  options: ResumeOptions = {},
  { backoff, now }: Timing = defaultTiming,
): AsyncGenerator<T, void, undefined> {
  for (let failures = 0; ; failures += 1) {
    const openedAt = now();
    try {
      for await (const item of open()) {
        failures = 0;
        yield item;
      }
      return;
    } catch (error) {
      if (now() - openedAt >= acceptedAfterMs) failures = 0;
      if (options.signal?.aborted || !shouldResume(error, failures, options)) throw error;
      options.onInterrupted?.(error);
    }
    await pause(backoffMs(failures + 1, backoff), options.signal);
  }
}

/**
 * After UNAUTHENTICATED a stream is reopened once, because its token may have expired and `open` renews it; a second
 * refusal in a row means that the token is not valid.
 */
function shouldResume(error: unknown, failures: number, options: ResumeOptions): boolean {
  if (isDaycareError(error, 'UNAUTHENTICATED')) return failures === 0;
  if (!isDaycareError(error, ...disconnectCodes) || options.mayResume?.() === false) return false;
  if (failures === 0) options.onDisconnect?.();
  return true;
}
