import { beforeAll } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Claims } from '../claims';
import { KeyRing, type KeyUpdate } from '../key-ring';
import { importSigningKey, type SigningKey } from '../sign-access-token';
import { TokenVerifier } from '../token-verifier';

export const now = new Date('2026-11-16T10:00:00Z');
export const inSeconds = (seconds: number): number => Math.floor(now.getTime() / 1000) + seconds;

export const ada: Extract<Claims, { kind: 'user' }> = {
  kind: 'user',
  userId: 'ada',
  sessionId: 's1',
  tokenId: 't1',
  credentialId: 'c1',
  issuedAt: inSeconds(0),
  expiresAt: inSeconds(900),
};

export const refused = { code: 'UNAUTHENTICATED', message: 'The token is invalid' };

/** A key pair for tests. */
export interface KeyPair {
  readonly signingKey: SigningKey;
  readonly publicJwk: JWK;
}

export async function makeKey(kid: string): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const signingKey = await importSigningKey(kid, await exportJWK(privateKey));
  return { signingKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' } };
}

/** Returns a key pair that is generated before the file's tests run. */
export function useKey(kid: string): KeyPair {
  const key = {} as KeyPair;
  beforeAll(async () => {
    Object.assign(key, await makeKey(kid));
  });
  return key;
}

/** A first update from identity, with these keys and everything that has been revoked so far. */
export function keyUpdateOf(
  keys: JWK[],
  revoked: string[] = [],
  overrides: Partial<KeyUpdate> = {},
): KeyUpdate {
  return {
    jwks: { keys },
    maxTokenMs: 900_000,
    credentialIds: ['c1'],
    revoked: revoked.map((id) => ({ id, expiresAtMs: Infinity, issuedBeforeMs: undefined })),
    isRestarted: true,
    position: 'end',
    ...overrides,
  };
}

export async function verifierOf(updates: () => KeyUpdate, clock = () => now.getTime()) {
  let fetches = 0;
  const skews: [string, number][] = [];
  const ring = new KeyRing({
    fetch: async () => (fetches++, updates()),
    onFailure: () => undefined,
    unknownKeyIntervalMs: 0,
  });
  await ring.refresh();
  const onClockSkew = (...skew: [string, number]): void => void skews.push(skew);
  const verifier = new TokenVerifier(ring, 'identity', { now: clock, onClockSkew });
  return { verifier, ring, skews, fetches: () => fetches };
}
