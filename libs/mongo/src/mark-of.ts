import { createHash } from 'node:crypto';

/**
 * A number that stands for a value. Kept in an index beside what is counted, sums of it tell whether the
 * counted ones are still the same; sums of millions are exact.
 */
export function markOf(value: unknown): number {
  return createHash('sha256').update(JSON.stringify(value)).digest().readUInt32BE() >>> 1;
}
