import { beforeAll } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Claims } from '../claims';
import { KeyRing, type KeySnapshot } from '../key-ring';
import { importSigningKey, type SigningKey } from '../sign-access-token';
import { TokenVerifier } from '../token-verifier';

export const now = new Date('2026-11-16T10:00:00Z');
export const inSeconds = (seconds: number): number => Math.floor(now.getTime() / 1000) + seconds;
export const ada = {
  kind: 'user',
  userId: 'ada',
  sessionId: 's1',
  tokenId: 't1',
  expiresAt: inSeconds(900),
} as const satisfies Claims;
export const refused = { code: 'UNAUTHENTICATED', message: 'The token is invalid' };

interface KeyPair {
  readonly signing: SigningKey;
  readonly publicJwk: JWK;
}

/** Two signing keys, made before the tests of the file. */
export function useTestKeys(): { readonly first: KeyPair; readonly second: KeyPair } {
  const keys = {} as { first: KeyPair; second: KeyPair };
  beforeAll(async () => {
    [keys.first, keys.second] = await Promise.all([makeKey('k1'), makeKey('k2')]);
  });
  return keys;
}

async function makeKey(kid: string): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const signing = await importSigningKey(kid, await exportJWK(privateKey));
  return { signing, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' } };
}

/** A verifier at identity whose key ring fetches these snapshots. */
export async function verifierOf(snapshots: () => KeySnapshot, at = () => now.getTime()) {
  let fetches = 0;
  const ring = new KeyRing({
    fetch: async () => (fetches++, snapshots()),
    onFailure: () => undefined,
    unknownKeyIntervalMs: 0,
  });
  await ring.refresh();
  return { verifier: new TokenVerifier(ring, 'identity', at), ring, fetches: () => fetches };
}

export const published = (keys: JWK[], revoked: string[] = []): KeySnapshot => ({
  jwks: { keys },
  revoked: new Set(revoked),
});
