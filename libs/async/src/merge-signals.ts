import { onAbort } from './on-abort';

export interface MergedSignal {
  /** Aborts as soon as one of the merged signals does, with the same reason. */
  readonly signal: AbortSignal;
  /** Removes the listeners from the merged signals; call it when the work is done. */
  readonly release: () => void;
}

/**
 * Replaces `AbortSignal.any` for signals that outlive the work, such as the one that stops a service: on
 * Node 20, each call to `any` leaks some memory, which the longest-lived signal retains.
 */
export function mergeSignals(...signals: readonly AbortSignal[]): MergedSignal {
  const merged = new AbortController();
  const releases = signals.map((signal) => onAbort(signal, () => merged.abort(signal.reason)));
  return { signal: merged.signal, release: () => releases.forEach((release) => release()) };
}
