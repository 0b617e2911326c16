import { raceAbort } from './race-abort';

/**
 * Settles as the work does, or rejects once it has taken too long. The work itself continues.
 * `AbortSignal.timeout` is not used: its timer cannot be cleared and does not keep the process alive.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  toError: () => Error = () => new Error(`not done within ${timeoutMs} ms`),
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(toError()), timeoutMs);
  try {
    return await raceAbort(work, timeout.signal);
  } finally {
    clearTimeout(timer);
  }
}
