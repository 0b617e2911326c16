import { createHash } from 'node:crypto';

/** An id that is the same whenever it is made from the same parts, and otherwise never. */
export function messageIdOf(...parts: readonly string[]): string {
  const text = JSON.stringify(parts);
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
