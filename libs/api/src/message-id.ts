import { createHash } from 'node:crypto';

/**
 * Derives an id from parts. Equal parts give the same id, so that a retry finds what the first attempt stored;
 * different lists of parts give different ids.
 */
export function messageIdOf(...parts: readonly string[]): string {
  // JSON keeps the parts apart whatever they contain; joining them with a separator would not.
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
