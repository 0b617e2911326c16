import { createHash } from 'node:crypto';

/** SHA-256 in lower-case hex. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
