/** Returns the first tick after a time; undefined when there is none. Must be monotonic. */
export type NextTick = (after: Date) => Date | undefined;

/** The schedule clock at one moment. */
export interface ScheduleMoment {
  readonly now: Date;
  /** Every tick that is late by less than this fires. */
  readonly graceMs: number;
}

/** The next step of a due schedule. */
export interface DueStep {
  /** The tick to fire; undefined when all missed ticks are too old. */
  readonly tick: Date | undefined;
  /** When the schedule is due next; undefined if it will never be due again. */
  readonly next: Date | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the next step of a schedule whose next tick is `dueAt`; undefined when nothing is due. Ticks that are late by
 * less than the grace period fire one by one. Older ones were missed, usually because nothing was running: the newest
 * of them fires if it is less than a day old, the others never do.
 */
export function stepOf(
  dueAt: Date,
  nextTick: NextTick,
  { now, graceMs }: ScheduleMoment,
): DueStep | undefined {
  if (dueAt > now) return undefined;
  const missedUntil = before(now, graceMs);
  if (dueAt > missedUntil) return { tick: dueAt, next: nextTick(dueAt) };
  const from = dueAt > before(now, dayMs) ? before(dueAt, 1) : before(now, dayMs);
  const tick = newestTick(nextTick, from, missedUntil);
  return { tick, next: nextTick(tick ?? missedUntil) };
}

/**
 * Like `stepOf`, for a schedule that fires only once: after a tick has fired, the schedule is never due again. A tick
 * that was skipped as too old has not fired, so the schedule is still due at its next time.
 */
export function oneTimeStepOf(
  dueAt: Date,
  nextTick: NextTick,
  moment: ScheduleMoment,
): DueStep | undefined {
  const step = stepOf(dueAt, nextTick, moment);
  return step?.tick ? { tick: step.tick, next: undefined } : step;
}

/** Reports whether a tick is too late to be fired. */
export function isTooLate(tick: Date, { now, graceMs }: ScheduleMoment): boolean {
  return tick <= before(now, Math.max(dayMs, graceMs));
}

/** Returns ticks at a fixed interval from `anchor`. */
export function every(intervalMs: number, anchor: Date): NextTick {
  const anchorMs = anchor.getTime();
  return (after) => {
    const passed = Math.floor((after.getTime() - anchorMs) / intervalMs);
    return new Date(anchorMs + (passed + 1) * intervalMs);
  };
}

/** Finds the newest tick after `from` and not after `until`, by binary search over time. */
function newestTick(nextTick: NextTick, from: Date, until: Date): Date | undefined {
  const tickAfter = (afterMs: number): Date | undefined => {
    const tick = nextTick(new Date(afterMs));
    return tick && tick <= until ? tick : undefined;
  };
  let [low, high] = [from.getTime(), until.getTime()];
  let newest = low < high ? tickAfter(low) : undefined;
  while (newest && high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const later = tickAfter(middle);
    if (later) [low, newest] = [middle, later];
    else high = middle;
  }
  return newest;
}

function before(date: Date, ms: number): Date {
  return new Date(date.getTime() - ms);
}
