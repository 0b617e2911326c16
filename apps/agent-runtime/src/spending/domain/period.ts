/** The periods for which budgets are set, in UTC. */
export const periods = ['day', 'month'] as const;
export type Period = (typeof periods)[number];

const keyLengths: Readonly<Record<Period, number>> = { day: 10, month: 7 };

/**
 * Returns the key of the period that a day belongs to: `2026-11-17` or `2026-11`. Keys for the same kind of period sort
 * by time.
 */
export function periodKey(period: Period, day: string): string {
  return day.slice(0, keyLengths[period]);
}

/** Returns when the period with this key is over and the next begins. */
export function periodEnd(period: Period, key: string): Date {
  const [year = 0, month = 1, day = 1] = key.split('-').map(Number);
  return new Date(period === 'day' ? Date.UTC(year, month - 1, day + 1) : Date.UTC(year, month, 1));
}

/** Returns the first day of the given day's month. */
export function monthStart(day: string): string {
  return `${periodKey('month', day)}-01`;
}

/** Reports whether a string is a calendar date. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const dayMs = 24 * 60 * 60 * 1000;

/** Counts the days from one date to another, both included; negative when they are in reverse order. */
export function daysBetween(from: string, to: string): number {
  const difference = Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`);
  return Math.round(difference / dayMs) + (difference < 0 ? -1 : 1);
}
