import { setMaxListeners } from 'node:events';

/** Signals that any number may listen to; setting that again for each listener would cost more than listening. */
const unlimited = new WeakSet<AbortSignal>();

/**
 * Calls back when the signal aborts, immediately if it already has. Returns how to stop listening.
 * Many may listen to one long-lived signal, which is no leak as long as each of them stops.
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
