import { AppError, notFound, type FieldChecks } from '@daycare/errors';
import { faultOfSchedule, isTimeZone, type CronTimes } from './cron-schedule';

/** A prompt that an agent hears at set times. */
export interface Cron extends CronTimes {
  readonly id: string;
  readonly userId: string;
  readonly shard: number;
  readonly name: string;
  readonly prompt: string;
  /** The agent that hears the prompt; empty until the cron's own has been made. */
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

const spentForMs = 7 * 24 * 60 * 60 * 1000;

/** A cron for once that has fired by then is removed. `now` is by the clock of schedules. */
export function spentUntil(now: Date): Date {
  return new Date(now.getTime() - spentForMs);
}

/** Whether a cron is to be removed, once no tick of it is under way. */
export function isSpent({ once, lastFiredAt }: Cron, now: Date): boolean {
  return once && lastFiredAt !== undefined && lastFiredAt <= spentUntil(now);
}

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

/**
 * What a request has made before, given what was found; a request id stands for one wish, which never
 * changes in these fields. What is gone by now stays so.
 */
export function knownFor<T extends object>(
  found: T | 'deleted' | undefined,
  what: 'cron' | 'heartbeat',
  wish: Partial<NoInfer<T>>,
): T | undefined {
  if (found === 'deleted') throw notFound(what);
  const isSame = Object.entries(wish).every(([name, value]) => found?.[name as keyof T] === value);
  if (!found || isSame) return found;
  throw new AppError('REQUEST_ID_REUSED', 'request_id was used before for another request');
}
