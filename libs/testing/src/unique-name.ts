import { randomBytes } from 'node:crypto';

/** A name nobody else uses: for databases, streams, subjects and ids of one test. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}
