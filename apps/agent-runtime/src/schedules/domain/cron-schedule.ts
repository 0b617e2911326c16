import { Cron as CronPattern } from 'croner';

/** When a cron is due. */
export interface CronTimes {
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly schedule: string;
  /** An IANA name. */
  readonly timeZone: string;
}

const fieldNames = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const;
const months = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const days = 'SUN|MON|TUE|WED|THU|FRI|SAT';
const fieldPatterns = [/\d\d?/, /\d\d?/, /\d\d?/, withNames(months), withNames(days)].map(listOf);
const maxScheduleLength = 200;

/**
 * Returns what is wrong with a schedule; undefined when it is valid. Accepts plain five-field cron with names, lists,
 * ranges and steps: no seconds, no nicknames such as `@daily`, and none of `?`, `L`, `W` and `#`, which cron programs
 * interpret differently. `timeZone` must be valid.
 */
export function faultOfSchedule({ schedule, timeZone }: CronTimes, now: Date): string | undefined {
  const fields = fieldsOf(schedule);
  if (schedule.length > maxScheduleLength) return `must be at most ${maxScheduleLength} characters`;
  if (fields.length !== fieldNames.length)
    return 'must have five fields: minute, hour, day of month, month, day of week';
  const invalidField = fieldNames.find(
    (_, index) => !fieldPatterns[index]?.test(fields[index] ?? ''),
  );
  if (invalidField !== undefined) return `has an invalid ${invalidField}`;
  try {
    return nextTick({ schedule, timeZone }, now) ? undefined : 'would never fire';
  } catch {
    return 'has a number or a range that is out of bounds';
  }
}

/**
 * Returns the first tick strictly after a time; undefined when there is none. A fixed time of day that a clock change
 * skips is due right after the change, and one that occurs twice is due the first time. Schedules with several times a
 * day follow wall-clock time.
 */
export function nextTick({ schedule, timeZone }: CronTimes, after: Date): Date | undefined {
  const pattern = new CronPattern(schedule, { timezone: timeZone, mode: '5-part', paused: true });
  return pattern.nextRun(after) ?? undefined;
}

/** Returns a schedule in its stored form, with fields separated by one space. */
export function tidySchedule(schedule: string): string {
  return fieldsOf(schedule).join(' ');
}

function fieldsOf(schedule: string): string[] {
  return schedule.trim().split(/[ \t]+/);
}

function withNames(names: string): RegExp {
  return new RegExp(`\\d\\d?|${names}`);
}

/** Matches values, ranges and `*`, separated by commas; ranges and `*` may have a step. */
function listOf({ source: value }: RegExp): RegExp {
  const item = `(?:(?:\\*|(?:${value})-(?:${value}))(?:/\\d\\d?)?|(?:${value}))`;
  return new RegExp(`^${item}(?:,${item})*$`, 'i');
}
