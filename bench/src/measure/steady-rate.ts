/** How many of the newest slices have to agree. */
const neededSlices = 3;
/** How far each of them may be from their mean. */
const tolerance = 0.1;

/**
 * Whether the numbers of requests answered in equal slices of time, oldest first, have become steady.
 * Few requests vary by chance, so that small numbers may differ by more.
 */
export function isSteady(counts: readonly number[]): boolean {
  const newest = counts.slice(-neededSlices);
  if (newest.length < neededSlices) return false;
  const mean = newest.reduce((sum, count) => sum + count, 0) / neededSlices;
  if (mean === 0) return false;
  const allowed = Math.max(mean * tolerance, 2 * Math.sqrt(mean));
  return newest.every((count) => Math.abs(count - mean) <= allowed);
}
