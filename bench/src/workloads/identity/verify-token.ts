import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import {
  importSigningKey,
  KeyRing,
  signAccessToken,
  TokenVerifier,
  type SigningKey,
} from '@daycare/auth';
import type { Workload } from '../../kit/workload';

const poolSize = 4_000;

async function makeVerifier() {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
  const signing = await importSigningKey('bench', await exportJWK(privateKey));
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'EdDSA' }] };
  const keys = new KeyRing({
    fetch: async () => ({
      jwks,
      maxTokenMs: undefined,
      credentialIds: undefined,
      revoked: [],
      isRestarted: true,
      position: 'end',
    }),
    onFailure: () => undefined,
  });
  await keys.refresh();
  return { signing, verifier: new TokenVerifier(keys, 'bench', { capacity: poolSize / 4 }) };
}

function sign(key: SigningKey): Promise<string> {
  const issuedAt = Date.now() / 1000;
  const times = { issuedAt, expiresAt: Math.floor(issuedAt) + 3_600 };
  const ids = { userId: randomUUID(), sessionId: randomUUID(), tokenId: randomUUID() };
  return signAccessToken({ kind: 'user', credentialId: 'bench', ...ids, ...times }, key);
}

/** Each request verifies a cached token, as nearly every call does. */
export const verifySeenTokenWorkload: Workload = {
  name: 'auth verify, token seen before',
  baseline: [],
  async prepare() {
    const { signing, verifier } = await makeVerifier();
    const token = await sign(signing);
    return { run: () => verifier.verify(token), close: async () => undefined };
  },
};

/** Each request verifies a token that is not cached, as the first call of a session does. */
export const verifyNewTokenWorkload: Workload = {
  name: 'auth verify, new token',
  baseline: [],
  async prepare() {
    const { signing, verifier } = await makeVerifier();
    // Four times the size of the verifier's cache, so a token is evicted before its next use.
    const tokens = await Promise.all(Array.from({ length: poolSize }, () => sign(signing)));
    let next = 0;
    return {
      run: () => verifier.verify(tokens[next++ % poolSize] ?? ''),
      close: async () => undefined,
    };
  },
};
