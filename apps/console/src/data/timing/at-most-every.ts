export interface Paced {
  /** Runs now, or, during the interval that the last run started, at its end. */
  request(): void;
  /** Cancels a pending run. */
  cancel(): void;
}

/**
 * Limits `run` to once every `ms`; a function returns the interval that applies at the time of a request. The first
 * request runs immediately; all requests during the interval cause one run at its end.
 */
export function atMostEvery(ms: number | (() => number), run: () => void): Paced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = -Infinity;
  const runNow = (): void => {
    timer = undefined;
    lastAt = performance.now();
    run();
  };
  return {
    request: () => {
      if (timer !== undefined) return;
      const waitMs = lastAt + (typeof ms === 'number' ? ms : ms()) - performance.now();
      if (waitMs <= 0) runNow();
      else timer = setTimeout(runNow, waitMs);
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
