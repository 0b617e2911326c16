import { describe, expect, it } from '@jest/globals';
import type { Claims } from './claims';
import { ServiceCredential } from './service-credential';
import { signAccessToken } from './sign-access-token';
import type { TokenVerifier } from './token-verifier';
import { inSeconds, keyUpdateOf, now, refused, useKey, verifierOf } from './test-support/test-keys';

const first = useKey('k1');

const method = '/daycare.identity.v1.IdentityService/GetUser';

describe('ServiceCredential', () => {
  async function setUp(clock = () => now.getTime()) {
    const { verifier } = await verifierOf(
      () => keyUpdateOf([first.publicJwk], ['user:deleted']),
      clock,
    );
    const credential = await ServiceCredential.create({
      service: 'agent-runtime',
      now: clock,
      onFailure: () => undefined,
      requestToken: async (publicKey) => {
        const claims: Claims = {
          kind: 'service',
          service: 'agent-runtime',
          publicKey,
          tokenId: 't2',
          credentialId: 'c1',
          issuedAt: inSeconds(0),
          expiresAt: inSeconds(600),
        };
        return {
          token: await signAccessToken(claims, first.signingKey),
          expiresAt: new Date(inSeconds(600) * 1000),
        };
      },
    });
    await credential.start();
    credential.stop();
    return { verifier, credential };
  }

  async function verifyAll(
    verifier: TokenVerifier,
    metadata: Record<string, string>,
    calledMethod = method,
  ) {
    const claims = await verifier.verify(metadata['authorization']!.slice('Bearer '.length));
    if (claims.kind !== 'service') throw new Error('not a service token');
    return verifier.verifyContext(metadata['daycare-context']!, claims, calledMethod);
  }

  it('authenticates as the user, agent and owner named in the context', async () => {
    const { verifier, credential } = await setUp();
    const subject = { userId: 'sub', agentId: 'gw', parentUserId: 'ada' };
    await expect(
      verifyAll(verifier, await credential.metadata('identity', subject)(method)),
    ).resolves.toEqual(subject);
  });

  it('requests its token on the next call if identity was down at the start', async () => {
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
    await expect(credential.metadata('identity')(method)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    isDown = false;
    await expect(credential.metadata('identity')(method)).resolves.toMatchObject({
      authorization: 'Bearer fresh',
    });
    credential.stop();
  });

  it('rejects a context stolen from another process, which signed it with a different key', async () => {
    const [mine, other] = await Promise.all([setUp(), setUp()]);
    const stolen = (await other.credential.metadata('identity', { userId: 'ada' })(method))[
      'daycare-context'
    ]!;
    const metadata = {
      ...(await mine.credential.metadata('identity')(method)),
      'daycare-context': stolen,
    };
    await expect(verifyAll(mine.verifier, metadata)).rejects.toMatchObject(refused);
  });

  it('authenticates as the service itself when no user is named', async () => {
    const { verifier, credential } = await setUp();
    await expect(verifyAll(verifier, await credential.metadata('identity')(method))).resolves.toBe(
      'service',
    );
  });

  it('rejects a context issued for another method, even after that method has accepted it', async () => {
    const { verifier, credential } = await setUp();
    const metadata = await credential.metadata('identity', { userId: 'ada' })(method);
    const otherMethod = '/daycare.identity.v1.IdentityService/DeleteUser';
    await expect(verifyAll(verifier, metadata, otherMethod)).rejects.toMatchObject(refused);
    await verifyAll(verifier, metadata);
    await expect(verifyAll(verifier, metadata, otherMethod)).rejects.toMatchObject(refused);
  });

  it('rejects a context issued for another service', async () => {
    const { verifier, credential } = await setUp();
    const metadata = await credential.metadata('topology', { userId: 'ada' })(method);
    await expect(verifyAll(verifier, metadata)).rejects.toMatchObject(refused);
  });

  it('rejects a context from a clock that is far ahead, because it would be valid for too long', async () => {
    let aheadMs = 600_000;
    const { verifier } = await setUp();
    const { credential } = await setUp(() => now.getTime() + aheadMs);
    const metadata = await credential.metadata('identity', { userId: 'ada' })(method);
    aheadMs = 0;
    await expect(verifyAll(verifier, metadata)).rejects.toMatchObject(refused);
  });

  it.each([29, -29, -55])(
    'accepts new and reused contexts from a service whose clock is off by %i s',
    async (seconds) => {
      let nowMs = now.getTime();
      const { verifier, skews } = await verifierOf(
        () => keyUpdateOf([first.publicJwk]),
        () => nowMs,
      );
      const { credential } = await setUp(() => nowMs + seconds * 1000);
      for (let uses = 0; uses < 2; uses += 1) {
        const metadata = await credential.metadata('identity', { userId: 'ada' })(method);
        await expect(verifyAll(verifier, metadata)).resolves.toEqual({ userId: 'ada' });
        nowMs += 29_000;
      }
      expect(skews.length).toBe(seconds === -29 ? 0 : 1);
    },
  );

  it('requests a new token when the current one is refused, at most once a second', async () => {
    let nowMs = now.getTime();
    let requests = 0;
    const credential = await ServiceCredential.create({
      service: 'topology',
      now: () => nowMs,
      onFailure: () => undefined,
      requestToken: async () => ({
        token: `token${(requests += 1)}`,
        expiresAt: new Date(nowMs + 900_000),
      }),
    });
    await credential.start();
    nowMs += 999;
    for (let call = 0; call < 10; call += 1) void credential.onRefused();
    expect(requests).toBe(1);
    nowMs += 1;
    for (let call = 0; call < 10; call += 1) void credential.onRefused();
    await new Promise(setImmediate);
    expect(requests).toBe(2);
    await expect(credential.metadata('identity')(method)).resolves.toMatchObject({
      authorization: 'Bearer token2',
    });
    credential.stop();
  });

  it('rejects a context for a deleted user', async () => {
    const { verifier, credential } = await setUp();
    const metadata = await credential.metadata('identity', { userId: 'deleted' })(method);
    await expect(verifyAll(verifier, metadata)).rejects.toMatchObject(refused);
  });

  it('signs a new context after half a minute, and a context is rejected when it is a minute and a half old', async () => {
    let nowMs = now.getTime();
    const { verifier, credential } = await setUp(() => nowMs);
    const old = await credential.metadata('identity', { userId: 'ada' })(method);
    expect(await credential.metadata('identity', { userId: 'ada' })(method)).toEqual(old);
    nowMs += 31_000;
    const renewed = await credential.metadata('identity', { userId: 'ada' })(method);
    expect(renewed['daycare-context']).not.toBe(old['daycare-context']);
    nowMs += 60_000;
    await expect(verifyAll(verifier, old)).rejects.toMatchObject(refused);
    await expect(verifyAll(verifier, renewed)).resolves.toEqual({ userId: 'ada' });
  });
});
