import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK } from 'jose';
import type { Claims } from './claims';
import { KeyRing, type KeySnapshot } from './key-ring';
import { ServiceCredential } from './service-credential';
import { importSigningKey, signAccessToken, type SigningKey } from './sign-access-token';
import { TokenVerifier } from './token-verifier';

const now = new Date('2026-11-16T10:00:00Z');
const inSeconds = (seconds: number): number => Math.floor(now.getTime() / 1000) + seconds;
const ada: Claims = {
  kind: 'user',
  userId: 'ada',
  sessionId: 's1',
  tokenId: 't1',
  expiresAt: inSeconds(900),
};

interface Pair {
  readonly signing: SigningKey;
  readonly publicJwk: JWK;
}

async function makeKey(kid: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const signing = await importSigningKey(kid, await exportJWK(privateKey));
  return { signing, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' } };
}

let first: Pair;
let second: Pair;
beforeAll(async () => {
  [first, second] = await Promise.all([makeKey('k1'), makeKey('k2')]);
});

async function verifierOf(snapshots: () => KeySnapshot, at = () => now.getTime()) {
  let fetches = 0;
  const ring = new KeyRing({
    fetch: async () => (fetches++, snapshots()),
    onFailure: () => undefined,
    unknownKeyIntervalMs: 0,
  });
  await ring.refresh();
  return { verifier: new TokenVerifier(ring, 'identity', at), ring, fetches: () => fetches };
}

const published = (keys: JWK[], revoked: string[] = []): KeySnapshot => ({
  jwks: { keys },
  revoked: new Set(revoked),
});
const refused = { code: 'UNAUTHENTICATED', message: 'The token is invalid' };

describe('TokenVerifier', () => {
  it('returns the claims an access token was issued with', async () => {
    const { verifier } = await verifierOf(() => published([first.publicJwk]));
    const claims: Claims = { ...ada, agentId: 'a1', parentUserId: 'owner' };
    const token = await signAccessToken(claims, first.signing, now);
    await expect(verifier.verify(token)).resolves.toEqual(claims);
  });

  it('rejects an expired token even if it was accepted before', async () => {
    let at = now.getTime();
    const { verifier } = await verifierOf(
      () => published([first.publicJwk]),
      () => at,
    );
    const token = await signAccessToken(ada, first.signing, now);
    await expect(verifier.verify(token)).resolves.toBeDefined();
    at = inSeconds(906) * 1000;
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it.each([['t1'], ['s1'], ['user:ada']])(
    'rejects a token once %s is revoked, even if it was accepted before',
    async (id) => {
      let revoked: string[] = [];
      const { verifier, ring } = await verifierOf(() => published([first.publicJwk], revoked));
      const token = await signAccessToken(ada, first.signing, now);
      await expect(verifier.verify(token)).resolves.toBeDefined();
      revoked = [id];
      await ring.refresh();
      await expect(verifier.verify(token)).rejects.toMatchObject(refused);
    },
  );

  it('rejects the token of a subuser whose owner is deleted', async () => {
    const { verifier } = await verifierOf(() => published([first.publicJwk], ['user:owner']));
    const token = await signAccessToken({ ...ada, parentUserId: 'owner' }, first.signing, now);
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('accepts a token signed with a key that is newer than the last snapshot, after one more fetch', async () => {
    let keys = [first.publicJwk];
    const { verifier, fetches } = await verifierOf(() => published(keys));
    const token = await signAccessToken(ada, second.signing, now);
    keys = [first.publicJwk, second.publicJwk];
    await expect(verifier.verify(token)).resolves.toBeDefined();
    expect(fetches()).toBe(2);
    await verifier.verify(token);
    expect(fetches()).toBe(2);
  });

  it('rejects a token signed with an unpublished key', async () => {
    const { verifier } = await verifierOf(() => published([first.publicJwk]));
    const token = await signAccessToken(ada, second.signing, now);
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['an empty token', () => ''],
    ['a token that is no JWT', () => 'a.b.c'],
    [
      'a token with alg none',
      () =>
        new UnsecuredJWT({ kind: 'user', sid: 's1', jti: 't1' })
          .setSubject('ada')
          .setIssuer('daycare')
          .setAudience('daycare')
          .setIssuedAt(inSeconds(0))
          .setExpirationTime(inSeconds(60))
          .encode(),
    ],
    [
      'a known key id with a foreign key',
      () => signAccessToken(ada, { ...second.signing, id: 'k1' }, now),
    ],
    [
      'an HMAC keyed with the public key',
      () =>
        new SignJWT({ kind: 'user', sid: 's1', jti: 't1' })
          .setProtectedHeader({ alg: 'HS256', kid: 'k1', typ: 'at+jwt' })
          .setSubject('ada')
          .setIssuer('daycare')
          .setAudience('daycare')
          .setIssuedAt(inSeconds(0))
          .setExpirationTime(inSeconds(60))
          .sign(Buffer.from(JSON.stringify(first.publicJwk))),
    ],
    [
      'a token of another issuer',
      () =>
        new SignJWT({ kind: 'user', sid: 's1', jti: 't1' })
          .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: 'at+jwt' })
          .setSubject('ada')
          .setIssuer('elsewhere')
          .setAudience('daycare')
          .setIssuedAt(inSeconds(0))
          .setExpirationTime(inSeconds(60))
          .sign(first.signing.privateKey),
    ],
    [
      'a token without an expiry',
      () =>
        new SignJWT({ kind: 'user', sid: 's1', jti: 't1' })
          .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: 'at+jwt' })
          .setSubject('ada')
          .setIssuer('daycare')
          .setAudience('daycare')
          .setIssuedAt(inSeconds(0))
          .sign(first.signing.privateKey),
    ],
    [
      'a token of another type',
      () =>
        new SignJWT({ kind: 'user', sid: 's1', jti: 't1' })
          .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: 'ctx+jwt' })
          .setSubject('ada')
          .setIssuer('daycare')
          .setAudience('daycare')
          .setIssuedAt(inSeconds(0))
          .setExpirationTime(inSeconds(60))
          .sign(first.signing.privateKey),
    ],
    [
      'a token of an unknown kind',
      () => signAccessToken({ ...ada, kind: 'root' } as never, first.signing, now),
    ],
  ])('rejects %s', async (_, forge) => {
    const { verifier } = await verifierOf(() => published([first.publicJwk]));
    await expect(verifier.verify(await forge())).rejects.toMatchObject(refused);
  });
});

describe('KeyRing', () => {
  it('keeps using the last snapshot while identity is down', async () => {
    let isDown = false;
    const failures: unknown[] = [];
    const ring = new KeyRing({
      fetch: async () => {
        if (isDown) throw new Error('down');
        return published([first.publicJwk], ['t9']);
      },
      onFailure: (error) => void failures.push(error),
    });
    await ring.refresh();
    isDown = true;
    await ring.refresh();
    expect(failures).toHaveLength(1);
    expect(ring.knows('k1')).toBe(true);
    expect(ring.isRevoked('t9')).toBe(true);
  });
});

describe('ServiceCredential', () => {
  async function setUp(at = () => now.getTime()) {
    const { verifier } = await verifierOf(() => published([first.publicJwk], ['user:deleted']), at);
    const credential = await ServiceCredential.create({
      service: 'agent-runtime',
      now: at,
      onFailure: () => undefined,
      requestToken: async (publicKey) => {
        const claims: Claims = {
          kind: 'service',
          service: 'agent-runtime',
          publicKey,
          tokenId: 't2',
          expiresAt: inSeconds(600),
        };
        return {
          token: await signAccessToken(claims, first.signing, now),
          expiresAt: new Date(inSeconds(600) * 1000),
        };
      },
    });
    await credential.start();
    credential.stop();
    return { verifier, credential };
  }

  async function verifyAll(verifier: TokenVerifier, metadata: Record<string, string>) {
    const claims = await verifier.verify(metadata['authorization']!.slice('Bearer '.length));
    if (claims.kind !== 'service') throw new Error('not a service token');
    return verifier.verifyContext(metadata['daycare-context']!, claims);
  }

  it('authenticates as the user, agent and parent that the context names', async () => {
    const { verifier, credential } = await setUp();
    const subject = { userId: 'sub', agentId: 'gw', parentUserId: 'ada' };
    await expect(
      verifyAll(verifier, await credential.metadata('identity', subject)),
    ).resolves.toEqual(subject);
  });

  it('requests its token again for a call when identity was down at the start', async () => {
    let isDown = true;
    const credential = await ServiceCredential.create({
      service: 'agent-runtime',
      onFailure: () => undefined,
      requestToken: async () => {
        if (isDown) throw new Error('down');
        return { token: 'fresh', expiresAt: new Date(Date.now() + 60_000) };
      },
    });
    await credential.start();
    await expect(credential.metadata('identity')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isDown = false;
    await expect(credential.metadata('identity')).resolves.toMatchObject({
      authorization: 'Bearer fresh',
    });
    credential.stop();
  });

  it('rejects a service with a context stolen from another', async () => {
    const [mine, other] = await Promise.all([setUp(), setUp()]);
    const stolen = (await other.credential.metadata('identity', { userId: 'ada' }))[
      'daycare-context'
    ]!;
    const metadata = { ...(await mine.credential.metadata('identity')), 'daycare-context': stolen };
    await expect(verifyAll(mine.verifier, metadata)).rejects.toMatchObject(refused);
  });

  it('authenticates as the service itself when no user is named', async () => {
    const { verifier, credential } = await setUp();
    await expect(verifyAll(verifier, await credential.metadata('identity'))).resolves.toBe(
      'service',
    );
  });

  it('rejects a context issued for another callee', async () => {
    const { verifier, credential } = await setUp();
    const metadata = await credential.metadata('topology', { userId: 'ada' });
    await expect(verifyAll(verifier, metadata)).rejects.toMatchObject(refused);
  });

  it('rejects a context from the future, which would live too long', async () => {
    let ahead = 600_000;
    const { verifier } = await setUp();
    const { credential } = await setUp(() => now.getTime() + ahead);
    const metadata = await credential.metadata('identity', { userId: 'ada' });
    ahead = 0;
    await expect(verifyAll(verifier, metadata)).rejects.toMatchObject(refused);
  });

  it('rejects a context for a deleted user', async () => {
    const { verifier, credential } = await setUp();
    const metadata = await credential.metadata('identity', { userId: 'deleted' });
    await expect(verifyAll(verifier, metadata)).rejects.toMatchObject(refused);
  });

  it('rejects a context older than a minute, before which a new one is signed', async () => {
    let at = now.getTime();
    const { verifier, credential } = await setUp(() => at);
    const old = await credential.metadata('identity', { userId: 'ada' });
    expect(await credential.metadata('identity', { userId: 'ada' })).toEqual(old);
    at += 31_000;
    const renewed = await credential.metadata('identity', { userId: 'ada' });
    expect(renewed['daycare-context']).not.toBe(old['daycare-context']);
    at += 40_000;
    await expect(verifyAll(verifier, old)).rejects.toMatchObject(refused);
    await expect(verifyAll(verifier, renewed)).resolves.toEqual({ userId: 'ada' });
  });
});
