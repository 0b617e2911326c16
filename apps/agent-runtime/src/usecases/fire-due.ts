import {
  isTooLate,
  stepOf,
  stepOfOnce,
  type NextTick,
  type ScheduleMoment,
} from '../domain/due-ticks';
import type { Ticks } from '../store/firing-rows';

/** A schedule as it was found. */
export interface Firing {
  readonly id: string;
  readonly nextFireAt: Date | undefined;
  /** The tick that somebody has claimed before. */
  readonly firing: Date | undefined;
}

export interface FireParts {
  readonly ticks: Ticks;
  /** The time that schedules go by. */
  readonly moment: () => ScheduleMoment;
  /** Asked before each claim: whether it is still this replica that looks after the schedule. */
  readonly mayGoOn: () => boolean;
  readonly nextTick: NextTick;
  /** Fires a single time. */
  readonly once: boolean;
  /** Has a tick heard, once however often it is called; false when nobody can hear this or any other. */
  readonly tell: (tick: Date) => Promise<boolean>;
}

/** Hears of each tick that was told, and when. */
export type ShowTick = (kind: 'cron' | 'heartbeat', tick: Date, now: Date) => void;

/** One that has a lot to catch up on must not keep others waiting. */
const mostAtOnce = 100;

/**
 * Fires what is due of a schedule, in order. A tick is claimed, then told, then finished; whoever finds
 * it claimed and not finished tells it again, which the inbox knows how to ignore.
 */
export async function fireDue(schedule: Firing, parts: FireParts): Promise<void> {
  const stepAt = parts.once ? stepOfOnce : stepOf;
  let { firing, nextFireAt } = schedule;
  for (let count = 0; count < mostAtOnce; count += 1) {
    if (firing && !(await complete(schedule.id, firing, parts))) return;
    if (!nextFireAt || !parts.mayGoOn()) return;
    const step = stepAt(nextFireAt, parts.nextTick, parts.moment());
    if (!step || !(await parts.ticks.claim(schedule.id, nextFireAt, step))) return;
    ({ tick: firing, next: nextFireAt } = step);
  }
  if (firing) await complete(schedule.id, firing, parts);
}

/** False when there is nobody to tell. */
async function complete(id: string, tick: Date, parts: FireParts): Promise<boolean> {
  // An inbox remembers for eight days what it has had.
  const isHeard = isTooLate(tick, parts.moment()) || (await parts.tell(tick));
  if (isHeard) await parts.ticks.finish(id, tick);
  else await parts.ticks.end(id, tick);
  return isHeard;
}
