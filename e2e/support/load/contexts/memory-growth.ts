import type { MemoryReading } from './replica-memory';

/** Caches fill up in the first quarter of a run, and readings vary with the current turn. */
const maxGrowth = 1.1;
const minReadings = 20;

/** Live memory must be the same at the end as after the first quarter; short runs are not judged. */
export function growthOf(memory: readonly MemoryReading[]): string[] {
  if (memory.length < minReadings) return [];
  const quarter = Math.floor(memory.length / 4);
  const early = meanOf(memory.slice(quarter, 2 * quarter));
  const late = meanOf(memory.slice(-quarter));
  if (late <= early * maxGrowth) return [];
  return [`live memory grew from ${early.toFixed(1)} to ${late.toFixed(1)} MiB`];
}

function meanOf(readings: readonly MemoryReading[]): number {
  return readings.reduce((sum, { live }) => sum + live, 0) / readings.length;
}
