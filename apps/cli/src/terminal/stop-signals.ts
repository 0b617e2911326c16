import type { EventEmitter } from 'node:events';

const repeatMs = 1_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopHandlers {
  /** Asked to stop: do it in order. */
  readonly onStop: () => void;
  /** Asked again while stopping: end at once. */
  readonly onHurry: () => void;
}

/**
 * Calls `onStop` at the first signal. The same Ctrl-C often arrives twice, once from the terminal and
 * once forwarded by npm, so only a signal a second later counts as a second wish.
 */
export function listenForStop(
  source: Pick<EventEmitter, 'on'>,
  { onStop, onHurry }: StopHandlers,
  nowMs: () => number = () => performance.now(),
): void {
  let firstMs: number | undefined;
  const handle = (): void => {
    if (firstMs === undefined) {
      firstMs = nowMs();
      onStop();
    } else if (nowMs() - firstMs > repeatMs) {
      onHurry();
    }
  };
  for (const signal of signals) source.on(signal, handle);
}
