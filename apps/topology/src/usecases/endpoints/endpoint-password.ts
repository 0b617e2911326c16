import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const passwordBytes = 20;

/** Generates 160 random bits, in characters that need no escaping anywhere. */
export function generatePassword(): string {
  return randomBytes(passwordBytes).toString('base64url');
}

/**
 * A fast hash is enough, because 160 random bits cannot be guessed at any speed, and a slow hash would let
 * visitors keep the process busy.
 */
export function hashPassword(password: string): string {
  return digestOf(password).toString('base64url');
}

/** Compares in constant time. */
export function matchesPassword(presented: string, hash: string): boolean {
  return timingSafeEqual(digestOf(presented), Buffer.from(hash, 'base64url'));
}

function digestOf(password: string): Buffer {
  return createHash('sha256').update(`daycare endpoint password ${password}`).digest();
}
