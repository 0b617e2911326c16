/** How many of the newest slices are compared with the same number before them. */
const comparedSlices = 6;
/** How far the newest slices may differ from those before. While rates are rising, V8 is still optimising code. */
const maxChange = 0.05;
/** How many of the newest slices have to agree. */
const neededSlices = 3;
/** How far each of these may be from their mean. */
const tolerance = 0.1;

/**
 * Reports whether the rate has become steady, given the numbers of requests answered in equal slices of time,
 * oldest first. Small numbers vary by chance, so they may differ by more.
 */
export function isSteady(counts: readonly number[]): boolean {
  if (counts.length < 2 * comparedSlices) return false;
  const newest = sum(counts.slice(-comparedSlices));
  const before = sum(counts.slice(-2 * comparedSlices, -comparedSlices));
  if (newest === 0 || Math.abs(newest - before) > allowedDifference(newest, maxChange))
    return false;
  const last = counts.slice(-neededSlices);
  const mean = sum(last) / neededSlices;
  return last.every((count) => Math.abs(count - mean) <= allowedDifference(mean, tolerance));
}

function allowedDifference(count: number, share: number): number {
  return Math.max(count * share, 2 * Math.sqrt(count));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
