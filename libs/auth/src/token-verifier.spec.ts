import { describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { Claims } from './claims';
import { KeyRing } from './key-ring';
import { signAccessToken } from './sign-access-token';
import {
  ada,
  inSeconds,
  now,
  published,
  refused,
  useTestKeys,
  verifierOf,
} from './test-support/test-tokens';

const pairs = useTestKeys();

describe('TokenVerifier', () => {
  it('returns the claims an access token was issued with', async () => {
    const { verifier } = await verifierOf(() => published([pairs.first.publicJwk]));
    const claims: Claims = { ...ada, agentId: 'a1', parentUserId: 'owner' };
    const token = await signAccessToken(claims, pairs.first.signing, now);
    await expect(verifier.verify(token)).resolves.toEqual(claims);
  });

  it('rejects an expired token even if it was accepted before', async () => {
    let at = now.getTime();
    const { verifier } = await verifierOf(
      () => published([pairs.first.publicJwk]),
      () => at,
    );
    const token = await signAccessToken(ada, pairs.first.signing, now);
    await expect(verifier.verify(token)).resolves.toBeDefined();
    at = inSeconds(906) * 1000;
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it.each([['t1'], ['s1'], ['user:ada']])(
    'rejects a token once %s is revoked, even if it was accepted before',
    async (id) => {
      let revoked: string[] = [];
      const { verifier, ring } = await verifierOf(() =>
        published([pairs.first.publicJwk], revoked),
      );
      const token = await signAccessToken(ada, pairs.first.signing, now);
      await expect(verifier.verify(token)).resolves.toBeDefined();
      revoked = [id];
      await ring.refresh();
      await expect(verifier.verify(token)).rejects.toMatchObject(refused);
    },
  );

  it('rejects the token of a subuser whose owner is deleted', async () => {
    const { verifier } = await verifierOf(() => published([pairs.first.publicJwk], ['user:owner']));
    const token = await signAccessToken(
      { ...ada, parentUserId: 'owner' },
      pairs.first.signing,
      now,
    );
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('accepts a token signed with a key that is newer than the last snapshot, after one more fetch', async () => {
    let keys = [pairs.first.publicJwk];
    const { verifier, fetches } = await verifierOf(() => published(keys));
    const token = await signAccessToken(ada, pairs.second.signing, now);
    keys = [pairs.first.publicJwk, pairs.second.publicJwk];
    await expect(verifier.verify(token)).resolves.toBeDefined();
    expect(fetches()).toBe(2);
    await verifier.verify(token);
    expect(fetches()).toBe(2);
  });

  it('rejects a token signed with an unpublished key', async () => {
    const { verifier } = await verifierOf(() => published([pairs.first.publicJwk]));
    const token = await signAccessToken(ada, pairs.second.signing, now);
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
      () => signAccessToken(ada, { ...pairs.second.signing, id: 'k1' }, now),
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
          .sign(Buffer.from(JSON.stringify(pairs.first.publicJwk))),
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
          .sign(pairs.first.signing.privateKey),
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
          .sign(pairs.first.signing.privateKey),
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
          .sign(pairs.first.signing.privateKey),
    ],
    [
      'a token of an unknown kind',
      () => signAccessToken({ ...ada, kind: 'root' } as never, pairs.first.signing, now),
    ],
  ])('rejects %s', async (_, forge) => {
    const { verifier } = await verifierOf(() => published([pairs.first.publicJwk]));
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
        return published([pairs.first.publicJwk], ['t9']);
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
