import { setTimeout as delay } from 'node:timers/promises';
import { CallFailure } from '../failure/call-failure';

const firstWaitMs = 200;
const longestWaitMs = 5_000;

export interface ResumeOptions {
  /** Asked at every cut; one that may not be resumed is thrown. */
  readonly mayResume?: () => boolean;
  /** Told once of every time without a connection. */
  readonly onCut?: () => void;
}

/**
 * Follows a stream for as long as it lasts. When it is cut, because a service restarts or the network
 * fails, `open` is called again and goes on from where it was; also when it has outlasted its token and
 * there is another. What cannot be mended is thrown.
 */
export async function* resume<T>(
  open: () => AsyncIterable<T>,
  { mayResume = () => true, onCut = () => undefined }: ResumeOptions = {},
): AsyncGenerator<T> {
  let waitMs = firstWaitMs;
  for (;;) {
    try {
      for await (const item of open()) {
        waitMs = firstWaitMs;
        yield item;
      }
      return;
    } catch (error) {
      const isTokenOver = error instanceof CallFailure && error.token.isRenewed;
      if (!isTokenOver && !(isCut(error) && mayResume())) throw error;
      if (!isTokenOver && waitMs === firstWaitMs) onCut();
    }
    await delay(waitMs);
    waitMs = Math.min(longestWaitMs, waitMs * 2);
  }
}

/** A replica that shuts down cancels its streams. */
function isCut(error: unknown): boolean {
  return (
    error instanceof CallFailure &&
    ['UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED'].includes(error.error.code)
  );
}
