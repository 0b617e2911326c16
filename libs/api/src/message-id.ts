import { createHash } from 'node:crypto';

/**
 * An id made from parts: equal parts give the same id, so a retry finds what the first attempt stored,
 * and no two different lists of parts give the same one.
 */
export function messageIdOf(...parts: readonly string[]): string {
  // JSON keeps the parts apart whatever they contain; joining them with a separator would not.
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
