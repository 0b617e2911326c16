import { AppError, type FieldChecks } from '@daycare/errors';
import { faultOfSchedule, isTimeZone, type CronTimes } from './cron-schedule';

/** A prompt that an agent hears at set times. */
export interface Cron extends CronTimes {
  readonly id: string;
  readonly userId: string;
  readonly shard: number;
  readonly name: string;
  readonly prompt: string;
  /** The agent that hears the prompt. */
  readonly agentId: string;
  /** Fires a single time. */
  readonly once: boolean;
  /** Undefined while it is paused, and when it will not fire any more. */
  readonly nextFireAt: Date | undefined;
  readonly lastFiredAt: Date | undefined;
  readonly createdAt: Date;
}

/** A prompt that is run with all the user's others in one batch. */
export interface Heartbeat {
  readonly id: string;
  readonly userId: string;
  readonly title: string;
  readonly prompt: string;
  readonly lastRunAt: Date | undefined;
  readonly createdAt: Date;
}

/** What a caller says about a new cron. */
export interface CronWish extends CronTimes {
  readonly name: string;
  readonly prompt: string;
  readonly once: boolean;
}

export type HeartbeatWish = Pick<Heartbeat, 'title' | 'prompt'>;

/** How many crons a user may have, and how many heartbeats. */
export const mostSchedules = 100;

const nameLimits = { min: 1, max: 100 };
const promptLimits = { min: 1, max: 32_768 };

/** Call `checks.done()` afterwards. `now` is by the clock of schedules. */
export function checkCron(
  { name, prompt, ...times }: CronWish,
  checks: FieldChecks,
  now: Date,
): void {
  const isZone = isTimeZone(times.timeZone);
  const fault = faultOfSchedule(isZone ? times : { ...times, timeZone: 'UTC' }, now);
  checks
    .line(name, 'name', nameLimits)
    .require(fault === undefined, 'schedule', fault ?? '')
    .text(prompt, 'prompt', promptLimits)
    .require(isZone, 'time_zone', 'is not the name of a time zone, e.g. Europe/Vienna');
}

/** Call `checks.done()` afterwards. */
export function checkHeartbeat({ title, prompt }: HeartbeatWish, checks: FieldChecks): void {
  checks.line(title, 'title', nameLimits).text(prompt, 'prompt', promptLimits);
}

export function tooMany(what: 'crons' | 'heartbeats'): AppError {
  const quota = { subject: 'caller', description: `at most ${mostSchedules} ${what}` };
  return new AppError('QUOTA_EXCEEDED', `A user has at most ${mostSchedules} ${what}`, { quota });
}

/** A request id stands for one wish: `known` is what it made, and never changes in these fields. */
export function requireSameWish<W extends object>(known: NoInfer<W>, wish: W): void {
  const isSame = Object.entries(wish).every(([name, value]) => known[name as keyof W] === value);
  if (isSame) return;
  throw new AppError('REQUEST_ID_REUSED', 'request_id was used before for another request');
}
