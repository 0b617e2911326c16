/** Formats a whole number with separators; empty when there is none. */
export function formatCount(count: number | undefined): string {
  return count === undefined ? '' : Math.round(count).toLocaleString('en-US');
}

/** Formats a number with two decimals, for counts per operation; empty when there is none. */
export function formatDecimal(count: number | undefined): string {
  return count === undefined ? '' : count.toFixed(2);
}

/** Formats milliseconds; a dash when nothing was measured. */
export function formatMs(ms: number): string {
  return Number.isFinite(ms) ? ms.toFixed(2) : '–';
}
