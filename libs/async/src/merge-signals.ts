import { onAbort } from './on-abort';

export interface MergedSignal {
  /** Aborts as soon as one of the merged signals does, with the same reason. */
  readonly signal: AbortSignal;
  /** Removes the listeners from the merged signals; call it when the work is done. */
  readonly release: () => void;
}

/**
 * Merges signals, some of which outlive the work, such as the signal that stops a service. On Node 20, each call to
 * `AbortSignal.any` would leak some memory for as long as the longest-lived signal exists.
 */
export function mergeSignals(...signals: readonly AbortSignal[]): MergedSignal {
  const merged = new AbortController();
  const releases = signals.map((signal) => onAbort(signal, () => merged.abort(signal.reason)));
  return { signal: merged.signal, release: () => releases.forEach((release) => release()) };
}
