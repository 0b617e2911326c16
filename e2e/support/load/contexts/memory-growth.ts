import type { MemoryReading } from './replica-memory';

/** A leak adds up over many turns; single readings vary with the current turn. */
const maxGrowth = 1.05;
/** Twice the limit of the caches of images and texts, in MiB. */
const maxBuffers = 64;
const minReadings = 20;

/**
 * The heap must be as large at the end as after the first quarter, when the code is compiled and small
 * caches are full. Buffers belong to a cache that grows with new images up to its limit. Short runs are
 * not judged.
 */
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
