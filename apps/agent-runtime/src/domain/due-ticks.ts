/** The first tick after a time; undefined when there is none. Ticks only grow. */
export type NextTick = (after: Date) => Date | undefined;

/** The clock of schedules at one moment. */
export interface ScheduleMoment {
  readonly now: Date;
  /** Ticks that are late by less than this are all fired. */
  readonly graceMs: number;
}

/** What to do about a schedule that is due. */
export interface DueStep {
  /** To be fired; undefined when what was missed is too old. */
  readonly tick: Date | undefined;
  /** When it is due next. */
  readonly next: Date | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The next step of a schedule whose next tick is `dueAt`; undefined when nothing is due. What is late by
 * less than the grace fires, tick by tick. What is older was missed because nothing ran: the newest of
 * it fires if it is less than a day old, the rest never does.
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
 * The same for what fires a single time: nothing is due after its tick. One that was passed over has not
 * fired, so it is due at its next time.
 */
export function stepOfOnce(
  dueAt: Date,
  nextTick: NextTick,
  moment: ScheduleMoment,
): DueStep | undefined {
  const step = stepOf(dueAt, nextTick, moment);
  return step?.tick ? { tick: step.tick, next: undefined } : step;
}

/** Whether a tick is so late that it is not fired any more. */
export function isTooLate(tick: Date, { now, graceMs }: ScheduleMoment): boolean {
  return tick <= before(now, Math.max(dayMs, graceMs));
}

/** The ticks of something that is due every so often. */
export function every(intervalMs: number, anchor: Date): NextTick {
  const anchorMs = anchor.getTime();
  return (after) => {
    const passed = Math.floor((after.getTime() - anchorMs) / intervalMs);
    return new Date(anchorMs + (passed + 1) * intervalMs);
  };
}

/** The newest tick after `from` and not after `until`. Halves the time between, whatever its length. */
function newestTick(nextTick: NextTick, from: Date, until: Date): Date | undefined {
  const tickIn = (afterMs: number): Date | undefined => {
    const tick = nextTick(new Date(afterMs));
    return tick && tick <= until ? tick : undefined;
  };
  let [low, high] = [from.getTime(), until.getTime()];
  let newest = low < high ? tickIn(low) : undefined;
  while (newest && high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const later = tickIn(middle);
    if (later) [low, newest] = [middle, later];
    else high = middle;
  }
  return newest;
}

function before(date: Date, ms: number): Date {
  return new Date(date.getTime() - ms);
}
