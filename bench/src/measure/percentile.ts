/**
 * Returns the nearest-rank percentile: the smallest sample that at least `percent` % of all samples do not
 * exceed. Expects the samples in ascending order; NaN when there are none.
 */
export function percentileOf(ascending: readonly number[], percent: number): number {
  const rank = Math.ceil((percent / 100) * ascending.length);
  return ascending[Math.max(rank, 1) - 1] ?? NaN;
}
