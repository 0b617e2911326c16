import {
  isTooLate,
  stepOf,
  oneTimeStepOf,
  type NextTick,
  type ScheduleMoment,
} from '../../domain/due-ticks';
import type { Ticks } from '../../store/firing-rows';

/** A schedule as read from the database. */
export interface Firing {
  readonly id: string;
  readonly nextFireAt: Date | undefined;
  /** The tick that was claimed earlier and not finished. */
  readonly firing: Date | undefined;
}

export interface FireDeps {
  readonly ticks: Ticks;
  /** The schedule clock. */
  readonly moment: () => ScheduleMoment;
  /** Called before each claim; returns false if no further tick may be claimed, e.g. because the shard was lost. */
  readonly mayContinue: () => boolean;
  readonly nextTick: NextTick;
  /** Whether the schedule fires only once. */
  readonly once: boolean;
  /**
   * Delivers a tick, only once even if called repeatedly; returns false when there is no agent that could receive this
   * tick or any later one.
   */
  readonly deliver: (tick: Date) => Promise<boolean>;
}

/** Records each delivered tick and its time. */
export type RecordTick = (kind: 'cron' | 'heartbeat', tick: Date, now: Date) => void;

/** A schedule with a lot to catch up on must not block the others. */
const maxTicksPerPoll = 100;

/**
 * Fires a schedule's due ticks, in order. A tick is claimed, delivered, then finished; a tick found claimed but not
 * finished is delivered again, and the inbox ignores the duplicate.
 */
export async function fireDue(schedule: Firing, deps: FireDeps): Promise<void> {
  const stepAt = deps.once ? oneTimeStepOf : stepOf;
  let { firing, nextFireAt } = schedule;
  for (let count = 0; count < maxTicksPerPoll; count += 1) {
    if (firing && !(await complete(schedule.id, firing, deps))) return;
    if (!nextFireAt || !deps.mayContinue()) return;
    const step = stepAt(nextFireAt, deps.nextTick, deps.moment());
    if (!step || !(await deps.ticks.claim(schedule.id, nextFireAt, step))) return;
    ({ tick: firing, next: nextFireAt } = step);
  }
  if (firing) await complete(schedule.id, firing, deps);
}

/** Delivers a claimed tick and finishes it; returns false if there is no agent to deliver it to. */
async function complete(id: string, tick: Date, deps: FireDeps): Promise<boolean> {
  // A tick that is too late is not delivered: it may have been delivered already, and the inbox recognises duplicates
  // for only eight days.
  const hasAgent = isTooLate(tick, deps.moment()) || (await deps.deliver(tick));
  if (hasAgent) await deps.ticks.finish(id, tick);
  else await deps.ticks.end(id, tick);
  return hasAgent;
}
