import { setMaxListeners } from 'node:events';

/** Signals whose listener limit has already been lifted; lifting it again for each listener would be slow. */
const unlimited = new WeakSet<AbortSignal>();

/**
 * Calls the listener when the signal aborts, immediately if it already has. Returns a function that removes
 * the listener. Many listeners on one long-lived signal are not a leak as long as each of them is removed.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (!unlimited.has(signal)) {
    setMaxListeners(0, signal);
    unlimited.add(signal);
  }
  signal.addEventListener('abort', listener, { once: true });
  if (signal.aborted) listener();
  return () => signal.removeEventListener('abort', listener);
}
