import type { EventEmitter } from 'node:events';

const repeatMs = 1_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopHandlers {
  /** The first signal: stop in order. */
  readonly onStop: () => void;
  /** Another signal, more than a second after the first: exit immediately. */
  readonly onSecondSignal: () => void;
}

/**
 * Calls `onStop` on the first signal. One Ctrl-C often arrives twice, once from the terminal and once
 * forwarded by npm, so another signal is ignored unless it arrives more than a second after the first.
 */
export function listenForStop(
  source: Pick<EventEmitter, 'on'>,
  { onStop, onSecondSignal }: StopHandlers,
  nowMs: () => number = () => performance.now(),
): void {
  let firstMs: number | undefined;
  const handle = (): void => {
    if (firstMs === undefined) {
      firstMs = nowMs();
      onStop();
    } else if (nowMs() - firstMs > repeatMs) {
      onSecondSignal();
    }
  };
  for (const signal of signals) source.on(signal, handle);
}
