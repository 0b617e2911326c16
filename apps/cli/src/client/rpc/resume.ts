import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@daycare/async';
import { CallFailure } from '../../failure/call-failure';

const backoff = { firstMs: 200, maxMs: 5_000 };

export interface ResumeOptions {
  /** Called on every disconnect; if it returns false, the error is thrown. */
  readonly mayResume?: () => boolean;
  /** Called once per disconnect. */
  readonly onDisconnect?: () => void;
}

/**
 * Follows a stream to its end. When it disconnects, because a service restarts or the network fails,
 * or when its token has expired and been renewed, calls `open` again, which must continue after the
 * last element. Throws any other error.
 */
export async function* resume<T>(
  open: () => AsyncIterable<T>,
  { mayResume = () => true, onDisconnect = () => undefined }: ResumeOptions = {},
): AsyncGenerator<T> {
  let failures = 0;
  for (;;) {
    try {
      for await (const item of open()) {
        failures = 0;
        yield item;
      }
      return;
    } catch (error) {
      const isTokenRenewed = error instanceof CallFailure && error.token.isRenewed;
      if (!isTokenRenewed && !(isDisconnect(error) && mayResume())) throw error;
      if (!isTokenRenewed && failures === 0) onDisconnect();
    }
    failures += 1;
    await delay(backoffMs(failures, backoff));
  }
}

/** CANCELLED because a replica that shuts down cancels its streams. */
function isDisconnect(error: unknown): boolean {
  return (
    error instanceof CallFailure &&
    ['UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED'].includes(error.error.code)
  );
}
