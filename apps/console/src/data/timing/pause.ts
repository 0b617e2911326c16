export interface Pause {
  readonly ended: Promise<void>;
  /** Ends the pause now. */
  readonly wake: () => void;
}

/**
 * Starts a pause, which ends when its time is up, when `wake` is called or when the signal is aborted. The signal
 * outlives many pauses, so each pause removes its listener.
 */
export function startPause(ms: number, end: AbortSignal): Pause {
  let wake = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    wake = () => {
      clearTimeout(timer);
      end.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(() => wake(), ms);
    end.addEventListener('abort', wake);
    if (end.aborted) wake();
  });
  return { ended, wake: () => wake() };
}
