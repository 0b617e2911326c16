const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** Describes a time relative to now, e.g. `5 min. ago`; `just now` if it is less than a minute away. */
export function describeTime(timeMs: number, nowMs: number): string {
  const differenceMs = timeMs - nowMs;
  for (const [unit, ms] of units)
    if (Math.abs(differenceMs) >= ms) return relative.format(Math.trunc(differenceMs / ms), unit);
  return 'just now';
}

/**
 * Like `describeTime`, but for past events: if an event seems to be in the future because clocks differ, it is shown as
 * `just now`.
 */
export function describePast(timeMs: number, nowMs: number): string {
  return describeTime(Math.min(timeMs, nowMs), nowMs);
}

/**
 * Describes a point in time with its zone, so that a schedule in another zone is not misread. Uses the reader's zone if
 * no zone is given or the browser does not know it.
 */
export function describeMoment(at: Date, timeZone = ''): string {
  const parts = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  const options = { ...parts, timeZoneName: 'short' } as const;
  try {
    return at.toLocaleString(undefined, { ...options, ...(timeZone !== '' && { timeZone }) });
  } catch {
    return at.toLocaleString(undefined, options);
  }
}

/** Describes the remaining time, e.g. `4:05`, `2 h 10 min` or `3 days`; empty if none is left. */
export function describeRemaining(remainingMs: number): string {
  const seconds = Math.ceil(remainingMs / 1_000);
  if (seconds <= 0) return '';
  if (seconds < 3_600)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.ceil(minutes / (24 * 60))} days`;
}
