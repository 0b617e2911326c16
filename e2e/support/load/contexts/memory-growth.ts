import type { MemoryReading } from './replica-memory';

/** Small, because a leak adds up over many readings; not 1, because readings vary with what is in progress. */
const maxGrowthFactor = 1.05;
/** Twice what the image cache may hold. */
const maxBuffersMiB = 64;
const minReadings = 20;

/** Reports heap growth and oversized buffers; buffers belong to caches, which grow with new images up to a limit. */
export function growthOf(memory: readonly MemoryReading[]): string[] {
  if (memory.length < minReadings) return [];
  const buffers = Math.max(...memory.map((reading) => reading.buffers));
  return [
    ...heapGrowthOf(memory),
    ...(buffers > maxBuffersMiB ? [`buffers took ${buffers} MiB`] : []),
  ];
}

/**
 * Reports a heap that is clearly larger in the last quarter than in the second, by which time the code is compiled and
 * small caches are full. Short runs are not judged.
 */
export function heapGrowthOf(memory: readonly MemoryReading[]): string[] {
  if (memory.length < minReadings) return [];
  const quarter = Math.floor(memory.length / 4);
  const early = meanHeap(memory.slice(quarter, 2 * quarter));
  const late = meanHeap(memory.slice(-quarter));
  if (late <= early * maxGrowthFactor) return [];
  return [`the heap grew from ${early.toFixed(1)} to ${late.toFixed(1)} MiB`];
}

function meanHeap(readings: readonly MemoryReading[]): number {
  return readings.reduce((sum, { heap }) => sum + heap, 0) / readings.length;
}
