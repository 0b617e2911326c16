import { randomBytes } from 'node:crypto';

/** A unique name: for databases, streams, subjects and ids of one test. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}
