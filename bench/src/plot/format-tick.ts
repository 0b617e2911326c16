/** Formats a number for an axis: from 100 on, as a whole number; below 100, with two significant digits. */
export function formatTick(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(2)));
}
