const format = new Intl.NumberFormat();

/** Formats an integer for people. `toLocaleString` creates its format on every call, which is slow in a list. */
export function formatCount(count: number): string {
  return format.format(count);
}
