import { minute, now } from './clock';
import { describeLeft, describeMoment, describePast } from './describe-time';

const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** When something was, relative to now; the exact time is its title. */
export function Time({ at }: { readonly at: Date | undefined }) {
  if (!at) return null;
  return (
    <time dateTime={at.toISOString()} title={whole.format(at)}>
      {describePast(at.getTime(), minute.value)}
    </time>
  );
}

/** The time of day, or the date of another day. */
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

/** A time with its zone: for what happens by the clock. */
export function Moment({
  at,
  timeZone = '',
}: {
  readonly at: Date | undefined;
  /** E.g. that of a schedule; the reader's own otherwise. */
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

/** How long something lasts yet; counts down. */
export function Countdown({ until, over }: { readonly until: Date; readonly over: string }) {
  const left = describeLeft(until.getTime() - now.value);
  return (
    <time dateTime={until.toISOString()} title={whole.format(until)} class="countdown">
      {left === '' ? over : left}
    </time>
  );
}
