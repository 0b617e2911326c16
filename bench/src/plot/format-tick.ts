/** Formats a number for an axis: as a whole number from 100 on, with two significant digits below. */
export function formatTick(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(2)));
}
