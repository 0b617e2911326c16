import { setMaxListeners } from 'node:events';

/**
 * Calls back when the signal aborts, immediately if it already has. Returns how to stop listening.
 * Many may listen to one long-lived signal, which is no leak as long as each of them stops.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  if (signal.aborted) listener();
  return () => signal.removeEventListener('abort', listener);
}
