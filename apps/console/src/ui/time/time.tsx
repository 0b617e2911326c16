import { minute, now } from './clock';
import { describeLeft, describeMoment, describePast } from './describe-time';

const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A past time relative to now; its title is the exact time. */
export function Time({ at }: { readonly at: Date | undefined }) {
  if (!at) return null;
  return (
    <time dateTime={at.toISOString()} title={whole.format(at)}>
      {describePast(at.getTime(), minute.value)}
    </time>
  );
}

/** The time of day today, or the date and time of another day. */
export function Clock({ at }: { readonly at: Date | undefined }) {
  if (!at) return null;
  const isToday = at.toDateString() === new Date(now.peek()).toDateString();
  const text = isToday ? hours.format(at) : whole.format(at);
  return (
    <time dateTime={at.toISOString()} title={whole.format(at)}>
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
    <time dateTime={at.toISOString()} title={whole.format(at)}>
      {describeMoment(at, timeZone)}
    </time>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** The date, where the time of day does not matter. */
export function Day({ at }: { readonly at: Date | undefined }) {
  if (!at) return null;
  return (
    <time dateTime={at.toISOString()} title={whole.format(at)}>
      {day.format(at)}
    </time>
  );
}

/** A countdown of the remaining time. */
export function Countdown({ until, over }: { readonly until: Date; readonly over: string }) {
  const left = describeLeft(until.getTime() - now.value);
  return (
    <time dateTime={until.toISOString()} title={whole.format(until)} class="countdown">
      {left === '' ? over : left}
    </time>
  );
}
