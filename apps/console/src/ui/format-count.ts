const format = new Intl.NumberFormat();

/** A whole number as people write it. `toLocaleString` makes its format anew each time, which takes long in a list. */
export function formatCount(count: number): string {
  return format.format(count);
}
