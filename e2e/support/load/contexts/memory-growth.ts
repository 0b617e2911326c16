import type { MemoryReading } from './replica-memory';

<<<<<<< HEAD
/** Caches fill up in the first quarter of a run, and readings vary with the current turn. */
const maxGrowth = 1.1;
const minReadings = 20;

/** Live memory must be the same at the end as after the first quarter; short runs are not judged. */
=======
/** What a turn leaves behind adds up; readings differ by what the turn at hand holds. */
const maxGrowth = 1.05;
/** Twice what the caches of images and texts may hold. */
const maxBuffers = 64;
const minReadings = 20;

/**
 * The heap has to be as large at the end as after the first quarter, by when the code is compiled and small caches are
 * full. Buffers are those of a cache that fills for as long as new images come, up to its limit. Short runs say nothing
 * about either.
 */
>>>>>>> main
export function growthOf(memory: readonly MemoryReading[]): string[] {
  if (memory.length < minReadings) return [];
  const quarter = Math.floor(memory.length / 4);
  const early = meanHeap(memory.slice(quarter, 2 * quarter));
  const late = meanHeap(memory.slice(-quarter));
  const buffers = Math.max(...memory.map((reading) => reading.buffers));
  return [
    ...(late > early * maxGrowth
      ? [`the heap grew from ${early.toFixed(1)} to ${late.toFixed(1)} MiB`]
      : []),
    ...(buffers > maxBuffers ? [`buffers took ${buffers} MiB`] : []),
  ];
}

function meanHeap(readings: readonly MemoryReading[]): number {
  return readings.reduce((sum, { heap }) => sum + heap, 0) / readings.length;
}
