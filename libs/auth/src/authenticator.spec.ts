import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Caller } from '@daycare/rpc';
import { makeAuthenticator } from './authenticator';
import { basicAuthorization, BasicCredentials } from './basic-credentials';
import type { Claims } from './claims';
import { KeyRing } from './key-ring';
import { ServiceCredential } from './service-credential';
import { importSigningKey, signAccessToken, type SigningKey } from './sign-access-token';
import { TokenVerifier } from './token-verifier';
import { keyUpdateOf } from './test-support/test-keys';

const refused = { code: 'UNAUTHENTICATED' };
let signingKey: SigningKey;
let publicJwk: JWK;
beforeAll(async () => {
  const pair = await generateKeyPair('EdDSA', { extractable: true });
  signingKey = await importSigningKey('k1', await exportJWK(pair.privateKey));
  publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'EdDSA' };
});

let nowMs: number;
let revoke: (id: string) => Promise<void>;
const method = '/daycare.identity.v1.IdentityService/GetUser';
let authenticate: (metadata: Readonly<Record<string, string>>) => Caller | Promise<Caller>;
beforeEach(async () => {
  nowMs = Date.now();
  const revoked: string[] = [];
  const ring = new KeyRing({
    fetch: async () => keyUpdateOf([publicJwk], revoked),
    onFailure: () => undefined,
  });
  await ring.refresh();
  revoke = (id) => {
    revoked.push(id);
    return ring.refresh();
  };
  const credentials = await BasicCredentials.create([
    { name: 'ops', secrets: ['secret', 'second'], holder: { kind: 'admin' } },
  ]);
  const authenticator = makeAuthenticator({
    verifier: new TokenVerifier(ring, 'identity', { now: () => nowMs }),
    credentials,
  });
  authenticate = (values) => {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(values)) metadata.set(key, value);
    return authenticator({ metadata }, method);
  };
});

const nowSeconds = (): number => Math.floor(nowMs / 1000);

async function bearer(
  claims: Omit<
    Extract<Claims, { kind: 'user' }>,
    'expiresAt' | 'kind' | 'credentialId' | 'issuedAt'
  >,
) {
  const tokenFacts = { credentialId: 'c1', issuedAt: nowSeconds(), expiresAt: nowSeconds() + 900 };
  const allClaims: Claims = { kind: 'user', ...claims, ...tokenFacts };
  return { authorization: `Bearer ${await signAccessToken(allClaims, signingKey)}` };
}

async function serviceCredential(): Promise<ServiceCredential> {
  const credential = await ServiceCredential.create({
    service: 'topology',
    now: () => nowMs,
    onFailure: () => undefined,
    requestToken: async (publicKey) => {
      const expiresAt = nowSeconds() + 600;
      const claims: Claims = {
        kind: 'service',
        service: 'topology',
        publicKey,
        tokenId: 't2',
        credentialId: 'c1',
        issuedAt: nowSeconds(),
        expiresAt,
      };
      const token = await signAccessToken(claims, signingKey);
      return { token, expiresAt: new Date(expiresAt * 1000) };
    },
  });
  await credential.start();
  credential.stop();
  return credential;
}

const token = { userId: 'ada', sessionId: 's1', tokenId: 't1' };

describe('makeAuthenticator', () => {
  it('accepts a previously verified caller synchronously', async () => {
    const ada = await bearer({ ...token, agentId: 'a1' });
    const first = await authenticate(ada);
    expect(first).toEqual({
      kind: 'user',
      userId: 'ada',
      agentId: 'a1',
      sessionId: 's1',
    });
    expect(authenticate(ada)).toBe(first);
  });

  it.each([
    ['the token', 't1'],
    ['the session', 's1'],
    ["the subuser's id", 'user:ada'],
    ["the owner's id", 'user:owner'],
  ])('refuses a previously verified caller as soon as %s is revoked', async (_, id) => {
    const ada = await bearer({ ...token, parentUserId: 'owner' });
    await authenticate(ada);
    await revoke(id);
    expect(() => authenticate(ada)).toThrow(expect.objectContaining(refused));
  });

  it('refuses a previously verified caller once the token has expired', async () => {
    const ada = await bearer(token);
    await authenticate(ada);
    nowMs += 906_000;
    await expect(authenticate(ada)).rejects.toMatchObject(refused);
  });

  it('accepts a previously verified service synchronously, both as itself and on behalf of a user', async () => {
    const credential = await serviceCredential();
    const [asItself, asAda] = await Promise.all([
      credential.metadata('identity')(method),
      credential.metadata('identity', { userId: 'ada' })(method),
    ]);
    await Promise.all([authenticate(asItself), authenticate(asAda)]);
    expect(authenticate(asItself)).toEqual({
      kind: 'service',
      service: 'topology',
      proof: 'token',
      credentialId: 'c1',
    });
    expect(authenticate(asAda)).toEqual({ kind: 'user', userId: 'ada', via: 'topology' });
  });

  it('refuses service calls on behalf of a user who has since been deleted, but accepts those on behalf of others', async () => {
    const credential = await serviceCredential();
    const asAda = await credential.metadata('identity', { userId: 'ada' })(method);
    const asBob = await credential.metadata('identity', { userId: 'bob' })(method);
    await Promise.all([authenticate(asAda), authenticate(asBob)]);
    await revoke('user:ada');
    expect(() => authenticate(asAda)).toThrow(expect.objectContaining(refused));
    expect(authenticate(asBob)).toMatchObject({ userId: 'bob' });
  });

  it('refuses a context once it has expired, even if the service token has not', async () => {
    const asAda = await (await serviceCredential()).metadata('identity', { userId: 'ada' })(method);
    await authenticate(asAda);
    nowMs += 91_000;
    await expect(authenticate(asAda)).rejects.toMatchObject(refused);
  });

  it('refuses a known service token without a context, and a known context without a service token', async () => {
    const asAda = await (await serviceCredential()).metadata('identity', { userId: 'ada' })(method);
    await authenticate(asAda);
    const { authorization, ...context } = asAda;
    expect(() => authenticate({ authorization: authorization! })).toThrow(
      'A service token must be sent with the metadata "daycare-context"',
    );
    expect(() => authenticate(context)).toThrow(
      'The metadata "daycare-context" may be sent only with a service token',
    );
    const ada = await bearer(token);
    await authenticate(ada);
    expect(() => authenticate({ ...context, ...ada })).toThrow(
      'The metadata "daycare-context" may be sent only with a service token',
    );
  });

  it('accepts every secret of a holder, each under its own credential id, and refuses wrong names and secrets', () => {
    const callers = ['secret', 'second'].map((secret) =>
      authenticate({ authorization: basicAuthorization('ops', secret) }),
    );
    expect(callers).toMatchObject([
      { kind: 'admin', proof: 'credential' },
      { kind: 'admin', proof: 'credential' },
    ]);
    const ids = callers.map((caller) => (caller as { credentialId: string }).credentialId);
    expect(new Set(ids).size).toBe(2);
    for (const [name, secret] of [
      ['ops', 'Secret'],
      ['ops', ''],
      ['nobody', 'secret'],
    ] as const) {
      const metadata = { authorization: basicAuthorization(name, secret) };
      expect(() => authenticate(metadata)).toThrow('The credential is invalid');
    }
  });
});
