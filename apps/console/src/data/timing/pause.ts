export interface Pause {
  readonly ended: Promise<void>;
  /** Ends it now. */
  readonly wake: () => void;
}

/** Waits, unless the signal ends it. The signal outlives many pauses, so each takes its listener away. */
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
