/** The zone of users who have none. */
export const defaultTimeZone = 'UTC';

/** A moment as people in a time zone say it, to the minute; in UTC if there is no such zone. */
export function describeTime(at: Date, timeZone: string): string {
  const zone = isTimeZone(timeZone) ? timeZone : defaultTimeZone;
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((each) => each.type === type)?.value ?? '';
  const offset = part('timeZoneName').replace('GMT', 'UTC');
  const day = `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}`;
  return `${day}, ${part('hour')}:${part('minute')} in ${zone}${zone === defaultTimeZone ? '' : ` (${offset})`}`;
}

export function isTimeZone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Object;
  } catch {
    return false;
  }
}
