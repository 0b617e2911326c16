import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PresentedToken, Session } from '../../domain/session';

const randomLength = 16;

/** Returns a key for a new session, with which its refresh tokens are recognised. */
export function newProofKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns a new secret for a session's refresh token: a random half, and a proof that it was issued. Someone who can
 * read the database could forge proofs with the proof key, but a forged token can only end a session, not refresh it.
 */
export function newSecret(sessionId: string, proofKey: string): string {
  const random = randomBytes(randomLength);
  return Buffer.concat([random, proofOf(random, sessionId, proofKey)]).toString('base64url');
}

/** A parsed refresh token. */
export interface RefreshToken {
  readonly sessionId: string;
  readonly secret: string;
}

/** Parses a refresh token; undefined when it cannot be one. */
export function readRefreshToken(token: string): RefreshToken | undefined {
  const [, sessionId, secret] = /^([a-z0-9]{2,64})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
  return sessionId && secret ? { sessionId, secret } : undefined;
}

/** Returns the facts about a presented token that decide whether its session accepts it. */
export function toPresentedToken(
  { id, proofKey }: Session,
  { secret }: RefreshToken,
): PresentedToken {
  const bytes = Buffer.from(secret, 'base64url');
  const random = bytes.subarray(0, randomLength);
  const proof = bytes.subarray(randomLength);
  const isGenuine = timingSafeEqual(proof, proofOf(random, id, proofKey));
  return { hash: hashOf(secret), isGenuine };
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function proofOf(random: Buffer, sessionId: string, proofKey: string): Buffer {
  const key = Buffer.from(proofKey, 'base64url');
  const proof = createHmac('sha256', key).update(sessionId).update(random).digest();
  return proof.subarray(0, randomLength);
}
