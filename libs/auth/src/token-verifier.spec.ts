import { describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { issuer, toPayload, tokenTypes, type Claims } from './claims';
import { KeyRing } from './key-ring';
import { signAccessToken } from './sign-access-token';
import { TokenVerifier } from './token-verifier';
import {
  ada,
  inSeconds,
  now,
  keyUpdateOf,
  refused,
  useKey,
  verifierOf,
} from './test-support/test-keys';

const [first, second] = [useKey('k1'), useKey('k2')];

/** A token for ada that is valid once it is signed with the first key, unless the test changes something. */
function forgedToken(changes: object = {}, header: object = {}): SignJWT {
  return new SignJWT({ ...toPayload(ada), ...changes })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: tokenTypes.access, ...header })
    .setIssuer(issuer)
    .setAudience(issuer);
}

describe('TokenVerifier', () => {
  it('returns the claims an access token was issued with', async () => {
    const { verifier } = await verifierOf(() => keyUpdateOf([first.publicJwk]));
    const claims: Claims = { ...ada, agentId: 'a1', parentUserId: 'owner' };
    const token = await signAccessToken(claims, first.signingKey);
    await expect(verifier.verify(token)).resolves.toEqual(claims);
  });

  it("ignores a token's unknown scopes, and never treats a token without a known scope as unlimited", async () => {
    const { verifier } = await verifierOf(() => keyUpdateOf([first.publicJwk]));
    const scopes = ['agents:read', 'everything'] as unknown as ['agents:read'];
    const token = await signAccessToken({ ...ada, scopes }, first.signingKey);
    await expect(verifier.verify(token)).resolves.toEqual({ ...ada, scopes: ['agents:read'] });
    const none = await signAccessToken({ ...ada, scopes: [] }, first.signingKey);
    await expect(verifier.verify(none)).resolves.toEqual({ ...ada, scopes: [] });
  });

  it('rejects an expired token even if it was accepted before', async () => {
    let nowMs = now.getTime();
    const { verifier } = await verifierOf(
      () => keyUpdateOf([first.publicJwk]),
      () => nowMs,
    );
    const token = await signAccessToken(ada, first.signingKey);
    await expect(verifier.verify(token)).resolves.toBeDefined();
    nowMs = inSeconds(906) * 1000;
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it.each([
    ['the token itself', 't1'],
    ['its session', 's1'],
    ["its user's id", 'user:ada'],
  ])('rejects a token once %s is revoked, even if the token was accepted before', async (_, id) => {
    let revoked: string[] = [];
    const { verifier, ring } = await verifierOf(() => keyUpdateOf([first.publicJwk], revoked));
    const token = await signAccessToken(ada, first.signingKey);
    await expect(verifier.verify(token)).resolves.toBeDefined();
    revoked = [id];
    await ring.refresh();
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('rejects the token of a subuser whose owner is deleted', async () => {
    const { verifier } = await verifierOf(() => keyUpdateOf([first.publicJwk], ['user:owner']));
    const token = await signAccessToken({ ...ada, parentUserId: 'owner' }, first.signingKey);
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('accepts a token signed with a key that is newer than the last update, after one more fetch', async () => {
    let keys = [first.publicJwk];
    const { verifier, fetches } = await verifierOf(() => keyUpdateOf(keys));
    const token = await signAccessToken(ada, second.signingKey);
    keys = [first.publicJwk, second.publicJwk];
    await expect(verifier.verify(token)).resolves.toBeDefined();
    expect(fetches()).toBe(2);
    await verifier.verify(token);
    expect(fetches()).toBe(2);
  });

  it('rejects a token signed with an unpublished key', async () => {
    const { verifier } = await verifierOf(() => keyUpdateOf([first.publicJwk]));
    const token = await signAccessToken(ada, second.signingKey);
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('accepts the unaltered token from which the rejected tokens are made', async () => {
    const { verifier } = await verifierOf(() => keyUpdateOf([first.publicJwk]));
    const token = await forgedToken().sign(first.signingKey.privateKey);
    await expect(verifier.verify(token)).resolves.toEqual(ada);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['an empty token', () => ''],
    ['a token that is not a JWT', () => 'a.b.c'],
    [
      'a token with alg none',
      () => new UnsecuredJWT(toPayload(ada)).setIssuer(issuer).setAudience(issuer).encode(),
    ],
    [
      'a token that names a known key but is signed with another key',
      () => signAccessToken(ada, { ...second.signingKey, id: 'k1' }),
    ],
    [
      'a token with an HMAC keyed with the public key',
      () => {
        const key = Buffer.from(JSON.stringify(first.publicJwk));
        return forgedToken({}, { alg: 'HS256' }).sign(key);
      },
    ],
    [
      'a token from another issuer',
      () => forgedToken().setIssuer('elsewhere').sign(first.signingKey.privateKey),
    ],
    [
      'a token for another audience',
      () => forgedToken().setAudience('elsewhere').sign(first.signingKey.privateKey),
    ],
    [
      'a token without an expiry',
      () => forgedToken({ exp: undefined }).sign(first.signingKey.privateKey),
    ],
    [
      'a token of another type',
      () => forgedToken({}, { typ: 'ctx+jwt' }).sign(first.signingKey.privateKey),
    ],
    [
      'a token of an unknown kind',
      () => signAccessToken({ ...ada, kind: 'root' } as never, first.signingKey),
    ],
  ])('rejects %s', async (_, forge) => {
    const { verifier } = await verifierOf(() => keyUpdateOf([first.publicJwk]));
    await expect(verifier.verify(await forge())).rejects.toMatchObject(refused);
  });

  it('rejects a previously accepted token once its key is no longer published', async () => {
    let keys = [first.publicJwk];
    const { verifier, ring } = await verifierOf(() => keyUpdateOf(keys));
    const token = await signAccessToken(ada, first.signingKey);
    await expect(verifier.verify(token)).resolves.toEqual(ada);
    keys = [second.publicJwk];
    await ring.refresh();
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('rejects a token that lives longer than any that identity issues', async () => {
    const { verifier } = await verifierOf(() => keyUpdateOf([first.publicJwk]));
    const longLived = { ...ada, expiresAt: inSeconds(10 * 365 * 24 * 3_600) };
    const token = await signAccessToken(longLived, first.signingKey);
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('rejects a previously accepted token once the secret with which it was requested is no longer in use', async () => {
    let credentialIds = ['c1', 'c2'];
    const { verifier, ring } = await verifierOf(() =>
      keyUpdateOf([first.publicJwk], [], { credentialIds }),
    );
    const token = await signAccessToken(ada, first.signingKey);
    await expect(verifier.verify(token)).resolves.toEqual(ada);
    credentialIds = ['c2'];
    await ring.refresh();
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });

  it('when the tokens of a secret are revoked, rejects those issued before that time and accepts those issued later', async () => {
    const issuedBeforeMs = inSeconds(1) * 1000;
    const entry = { id: 'credential:c1', expiresAtMs: Infinity, issuedBeforeMs };
    const { verifier } = await verifierOf(() =>
      keyUpdateOf([first.publicJwk], [], { revoked: [entry] }),
    );
    const before = await signAccessToken(ada, first.signingKey);
    const after = await signAccessToken({ ...ada, issuedAt: inSeconds(1) }, first.signingKey);
    await expect(verifier.verify(before)).rejects.toMatchObject(refused);
    await expect(verifier.verify(after)).resolves.toBeDefined();
  });

  it('throws UNAVAILABLE rather than UNAUTHENTICATED before any key has been fetched', async () => {
    const verifier = new TokenVerifier(
      new KeyRing({ fetch: () => Promise.reject(new Error('down')), onFailure: () => undefined }),
      'topology',
    );
    const token = await signAccessToken(ada, first.signingKey);
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
