import {
  AppError,
  isForeign,
  isTimeZone,
  lowestTrust,
  notFound,
  requestIdReused,
  type FieldChecks,
  type Trust,
} from '@daycare/api';
import { faultOfSchedule, type CronTimes } from './cron-schedule';
import type { OverlapPolicy, Run } from './run';

/** The provenance of a schedule, which every turn it starts inherits. */
export interface ScheduleProvenance {
  /** The lowest trust of the foreign turns that wrote the schedule; absent if the user wrote or has rewritten it. */
  readonly trust?: Trust;
  /** Set if the text may contain something private that a turn had read. */
  readonly carriesPrivate?: true;
}

/** A prompt that an agent receives at set times. */
export interface Cron extends CronTimes, ScheduleProvenance {
  readonly id: string;
  readonly userId: string;
  readonly shard: number;
  readonly name: string;
  readonly prompt: string;
  /** The agent that receives the prompt; empty until the cron's own agent has been created. */
  readonly agentId: string;
  /** Whether the cron fires only once. */
  readonly once: boolean;
  readonly overlap: OverlapPolicy;
  /** Whether its runs' answers are hidden from the person. */
  readonly quiet: boolean;
  /** All runs that have not ended, the newest ended ones, and the last one that was carried out; oldest first. */
  readonly runs: readonly Run[];
  /** Present once the cron's fields were changed: a retry of the request that created it need no longer match them. */
  readonly edited?: true;
  /** Undefined while the cron is paused, and when it will not fire again. */
  readonly nextFireAt: Date | undefined;
  readonly lastFiredAt: Date | undefined;
  readonly createdAt: Date;
}

/** A prompt that runs in a batch with the user's other heartbeats. */
export interface Heartbeat extends ScheduleProvenance {
  readonly id: string;
  readonly userId: string;
  readonly title: string;
  readonly prompt: string;
  /** Whether its answers are hidden from the person. */
  readonly quiet: boolean;
  readonly lastRunAt: Date | undefined;
  /** The run at `lastRunAt`; absent if there was none, or if the version of Daycare that ran it did not record runs. */
  readonly lastRun?: HeartbeatRun;
  readonly createdAt: Date;
}

/** A batch run that included the heartbeat. */
export interface HeartbeatRun extends Omit<Run, 'manual' | 'replacedBy'> {
  /** Whether the run before it had failed. */
  readonly afterFailure?: boolean;
}

/** The turn that creates, changes or runs a schedule; empty if a person does so directly. */
export interface CreatingTurn {
  readonly trust?: Trust | undefined;
  readonly readPrivate?: boolean | undefined;
}

/**
 * Returns the provenance of a new schedule. The private label is kept, because the schedule's text may quote what the
 * turn had read. This applies to the user's own turns as well, because a subuser may have private data of its own.
 */
export function provenanceOf({ trust, readPrivate = false }: CreatingTurn): ScheduleProvenance {
  const label = readPrivate ? ({ carriesPrivate: true } as const) : {};
  return trust && isForeign(trust) ? { trust, ...label } : label;
}

/** Returns the provenance that a turn adds to a run it requests; the user's own turns add none. */
export function requesterProvenance(turn: CreatingTurn): ScheduleProvenance {
  return turn.trust && isForeign(turn.trust) ? provenanceOf(turn) : {};
}

/** Returns the lowest trust among these schedules' authors; undefined when all schedules are the user's own. */
export function lowestAuthorTrust(schedules: readonly ScheduleProvenance[]): Trust | undefined {
  const trusts = schedules.flatMap(({ trust }) => trust ?? []);
  return trusts.length === 0 ? undefined : trusts.reduce((one, other) => lowestTrust(one, other));
}

/** A new cron as a caller specifies it. */
export interface CronSpec extends CronTimes {
  readonly name: string;
  readonly prompt: string;
  readonly once: boolean;
  readonly overlap: OverlapPolicy;
  readonly quiet: boolean;
}

export type HeartbeatSpec = Pick<Heartbeat, 'title' | 'prompt' | 'quiet'>;

/** Whether a cron fires; `finished` when a `once` cron has fired and will not fire again. */
export type CronStatus = 'active' | 'paused' | 'finished';

export function statusOf({
  once,
  nextFireAt,
  lastFiredAt,
}: Pick<Cron, 'once' | 'nextFireAt' | 'lastFiredAt'>): CronStatus {
  if (nextFireAt) return 'active';
  return once && lastFiredAt ? 'finished' : 'paused';
}

/** How many crons an owner and its subusers may have together, and how many heartbeats. */
export const maxSchedules = 100;

const keepSpentMs = 7 * 24 * 60 * 60 * 1000;

/** `once` crons that fired at or before the returned time are to be removed. `now` is by the schedule clock. */
export function spentUntil(now: Date): Date {
  return new Date(now.getTime() - keepSpentMs);
}

/** Reports whether a cron has to be removed as soon as none of its ticks are in progress. */
export function isSpent({ once, lastFiredAt }: Cron, now: Date): boolean {
  return once && lastFiredAt !== undefined && lastFiredAt <= spentUntil(now);
}

const nameLimits = { min: 1, max: 100 };
const promptLimits = { min: 1, max: 32_768 };

/** Reports a cron's invalid fields to `checks`; call `checks.done()` afterwards. `now` is by the schedule clock. */
export function checkCron(
  { name, prompt, ...times }: Pick<CronSpec, 'name' | 'prompt' | 'schedule' | 'timeZone'>,
  checks: FieldChecks,
  now: Date,
): void {
  const isZone = isTimeZone(times.timeZone);
  const fault = faultOfSchedule(isZone ? times : { ...times, timeZone: 'UTC' }, now);
  checks
    .line(name, 'name', nameLimits)
    .require(fault === undefined, 'schedule', fault ?? '')
    .text(prompt, 'prompt', promptLimits)
    .require(isZone, 'time_zone', 'must be the name of a time zone, e.g. Europe/Vienna');
}

/** Reports a heartbeat's invalid fields to `checks`; call `checks.done()` afterwards. */
export function checkHeartbeat(
  { title, prompt }: Pick<HeartbeatSpec, 'title' | 'prompt'>,
  checks: FieldChecks,
): void {
  checks.line(title, 'title', nameLimits).text(prompt, 'prompt', promptLimits);
}

export function tooMany(what: 'crons' | 'heartbeats'): AppError {
  const quota = { subject: 'caller', description: `at most ${maxSchedules} ${what}` };
  return new AppError(
    'QUOTA_EXCEEDED',
    `You can have at most ${maxSchedules} ${what}, including those of subusers; delete one first`,
    { quota },
  );
}

/**
 * Returns the schedule that an earlier request with the same id created, if there was one. Throws REQUEST_ID_REUSED
 * unless it matches all fields in `spec`, and NOT_FOUND if it has been deleted.
 */
export function requireSameSpec<T extends object>(
  found: T | 'deleted' | undefined,
  what: 'cron' | 'heartbeat',
  spec: Partial<NoInfer<T>>,
): T | undefined {
  if (found === 'deleted') throw notFound(what);
  const isSame = Object.entries(spec).every(([name, value]) => found?.[name as keyof T] === value);
  if (!found || isSame) return found;
  throw requestIdReused();
}
