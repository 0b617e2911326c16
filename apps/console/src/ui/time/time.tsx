import { minute, now } from './clock';
import { describeRemaining, describeMoment, describePast } from './describe-time';

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dateTimeFormat = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});

/** A past time relative to now; its title is the exact time. */
export function Time({ at }: { readonly at: Date | undefined }) {
  if (!at) return null;
  return (
    <time dateTime={at.toISOString()} title={dateTimeFormat.format(at)}>
      {describePast(at.getTime(), minute.value)}
    </time>
  );
}

/** A point in time: only the time of day if it is today, otherwise with its date. */
export function Clock({ at }: { readonly at: Date | undefined }) {
  if (!at) return null;
  const isToday = at.toDateString() === new Date(now.peek()).toDateString();
  const text = isToday ? timeFormat.format(at) : dateTimeFormat.format(at);
  return (
    <time dateTime={at.toISOString()} title={dateTimeFormat.format(at)}>
      {text}
    </time>
  );
}

/** A time with its zone, for scheduled events. */
export function Moment({
  at,
  timeZone = '',
}: {
  readonly at: Date | undefined;
  /** For example the zone of a schedule; the reader's by default. */
  readonly timeZone?: string;
}) {
  if (!at) return null;
  return (
    <time dateTime={at.toISOString()} title={dateTimeFormat.format(at)}>
      {describeMoment(at, timeZone)}
    </time>
  );
}

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Only the date, where the time of day does not matter. */
export function Day({ at }: { readonly at: Date | undefined }) {
  if (!at) return null;
  return (
    <time dateTime={at.toISOString()} title={dateTimeFormat.format(at)}>
      {dateFormat.format(at)}
    </time>
  );
}

/** A countdown of the remaining time; shows `textWhenOver` once no time remains. */
export function Countdown({
  until,
  textWhenOver,
}: {
  readonly until: Date;
  readonly textWhenOver: string;
}) {
  const remaining = describeRemaining(until.getTime() - now.value);
  return (
    <time dateTime={until.toISOString()} title={dateTimeFormat.format(until)} class="countdown">
      {remaining === '' ? textWhenOver : remaining}
    </time>
  );
}
