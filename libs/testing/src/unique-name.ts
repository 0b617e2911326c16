import { randomBytes } from 'node:crypto';

/** Creates a unique name for one test's databases, streams, subjects and ids. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}
