import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const passwordBytes = 20;

/** 160 bits that nobody chose, in characters that need no escaping anywhere. */
export function drawPassword(): string {
  return randomBytes(passwordBytes).toString('base64url');
}

/**
 * A fast hash will do: 160 random bits cannot be found by trying, however fast the trying is, and a slow one
 * would let visitors keep the process busy.
 */
export function hashPassword(password: string): string {
  return digestOf(password).toString('base64url');
}

/** Takes equally long whatever is presented. */
export function matchesPassword(presented: string, hash: string): boolean {
  return timingSafeEqual(digestOf(presented), Buffer.from(hash, 'base64url'));
}

function digestOf(password: string): Buffer {
  return createHash('sha256').update(`daycare endpoint password ${password}`).digest();
}
