export interface Paced {
  /** Runs now, or as soon as the interval since the last run has passed. */
  request(): void;
  /** Cancels a pending run. */
  cancel(): void;
}

/**
 * Limits `run` to once every `ms`. If `ms` is a function, it is called at a request and returns the interval to apply.
 * The first request runs immediately; all requests during the interval cause one run at its end.
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
