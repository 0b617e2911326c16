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
const longestSchedule = 200;
const zoneName = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const longestZone = 64;

/**
 * What is wrong with a schedule; undefined when nothing is. Plain five-field cron is taken, with names,
 * lists, ranges and steps: no seconds, no nicknames such as `@daily`, and none of `?`, `L`, `W` and `#`,
 * which every program reads in its own way. `timeZone` must be a zone.
 */
export function faultOfSchedule({ schedule, timeZone }: CronTimes, now: Date): string | undefined {
  const fields = fieldsOf(schedule);
  if (schedule.length > longestSchedule) return `must be at most ${longestSchedule} characters`;
  if (fields.length !== fieldNames.length)
    return 'must have five fields: minute, hour, day of month, month, day of week';
  const wrong = fieldNames.find((_, index) => !fieldPatterns[index]?.test(fields[index] ?? ''));
  if (wrong !== undefined) return `has a ${wrong} that cannot be read`;
  try {
    return nextTick({ schedule, timeZone }, now) ? undefined : 'would never fire';
  } catch {
    return 'has a number or a range that is out of bounds';
  }
}

/** Whether a name is that of a time zone; an offset such as `+02:00` is none. */
export function isTimeZone(name: string): boolean {
  if (name.length > longestZone || !zoneName.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/**
 * The first tick after a time, and not at it; undefined when there is none. A single time of day that a
 * change of clocks leaves out is due when the clocks have changed, and one that comes twice is due the
 * first time. Schedules with several times a day follow the clock on the wall.
 */
export function nextTick({ schedule, timeZone }: CronTimes, after: Date): Date | undefined {
  const pattern = new CronPattern(schedule, { timezone: timeZone, mode: '5-part', paused: true });
  return pattern.nextRun(after) ?? undefined;
}

/** A schedule as it is stored: fields apart by one space. */
export function tidySchedule(schedule: string): string {
  return fieldsOf(schedule).join(' ');
}

function fieldsOf(schedule: string): string[] {
  return schedule.trim().split(/[ \t]+/);
}

function withNames(names: string): RegExp {
  return new RegExp(`\\d\\d?|${names}`);
}

/** Values, ranges and `*`, the latter two with steps, separated by commas. */
function listOf({ source: value }: RegExp): RegExp {
  const one = `(?:(?:\\*|(?:${value})-(?:${value}))(?:/\\d\\d?)?|(?:${value}))`;
  return new RegExp(`^${one}(?:,${one})*$`, 'i');
}
