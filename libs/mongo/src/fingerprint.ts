import { createHash } from 'node:crypto';

/**
 * Returns a 31-bit hash of a value. Stored in an indexed field, it lets a sum over the index detect changes without
 * reading the documents; sums of millions of fingerprints are exact.
 */
export function fingerprint(value: unknown): number {
  return createHash('sha256').update(JSON.stringify(value)).digest().readUInt32BE() >>> 1;
}
