/** Runs something now, or later when it has run a moment ago: several calls meanwhile are one. */
export interface Paced {
  request(): void;
  /** Forgets what waits. */
  cancel(): void;
}

/** Paces `run`: at most once in `ms`, which may change, the first time at once, and once more after the last call. */
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
