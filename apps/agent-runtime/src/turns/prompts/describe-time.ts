import { LRUCache } from 'lru-cache';

/** The time zone for users who have not set one. */
export const defaultTimeZone = 'UTC';

/** Describes a moment in a zone's local time, to the minute; in UTC if there is no such zone. */
export function describeTime(at: Date, timeZone: string): string {
  const minute = Math.floor(at.getTime() / msPerMinute);
  const last = lastDescriptions.get(timeZone);
  if (last?.minute === minute) return last.text;
  const text = describeMinute(at, timeZone);
  lastDescriptions.set(timeZone, { minute, text });
  return text;
}

const msPerMinute = 60_000;
/** The last description for each zone, which all turns in the same minute share. */
const lastDescriptions = new LRUCache<string, { readonly minute: number; readonly text: string }>({
  max: 500,
});

function describeMinute(at: Date, timeZone: string): string {
  const zone = isKnown(timeZone) ? timeZone : defaultTimeZone;
  const parts = formatOf(zone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((each) => each.type === type)?.value ?? '';
  const offset = part('timeZoneName').replace('GMT', 'UTC');
  const day = `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}`;
  return `${day}, ${part('hour')}:${part('minute')} in ${zone}${zone === defaultTimeZone ? '' : ` (${offset})`}`;
}

/** Unlike `isTimeZone`, accepts whatever can be formatted, because older versions stored offsets, too. */
function isKnown(timeZone: string): boolean {
  try {
    formatOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** Cached, because creating formats is slow. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  });
  formats.set(timeZone, format);
  return format;
}
