/** A number for an axis: a whole number from 100 on, two significant digits below. */
export function formatTick(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(2)));
}
