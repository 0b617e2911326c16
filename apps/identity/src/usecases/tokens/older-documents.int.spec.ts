import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSessions } from '../../test-support/test-sessions';
import { makeRevokeToken } from './revoke-token';

let test: Awaited<ReturnType<typeof openTestSessions>>;
beforeAll(async () => {
  test = await openTestSessions();
});
afterAll(() => test.close());

const admin = { kind: 'admin', credentialId: 'secret1' } as const;
const issue = async () =>
  test.issue({ requester: admin, userId: await test.newUser(), agentId: '', publicKeyJwk: '' });

describe('SigningKeys', () => {
  it('signing keys stored without a token lifetime get the configured one', async () => {
    const keys = test.mongo.db.collection('signing_keys');
    await keys.updateMany({}, { $unset: { maxTokenMs: '' } });
    await expect(test.keys.longestTokenLifetimeMs()).resolves.toBe(900_000);
    await expect(keys.findOne()).resolves.toMatchObject({ maxTokenMs: 900_000 });
  });
});

describe('RevocationStore', () => {
  it('a revocation without a valid expiry time is refused and leaves nothing behind', async () => {
    const entry = { id: 'endless', expiresAt: new Date(NaN) };
    await expect(test.revocations.add([entry])).rejects.toThrow('no valid expiry time');
    await expect(test.revocations.listAfter(0, 10)).resolves.toEqual([]);
  });
});

describe('refreshToken and revokeToken', () => {
  it('a session stored without its opener cannot be refreshed, and revoking it does not fail', async () => {
    const { refresh } = await issue();
    const old = { opener: '', proofKey: '', openedAt: '', endsAt: '' } as const;
    await test.mongo.db.collection('sessions').updateMany({}, { $unset: old });
    const refused = { code: 'UNAUTHENTICATED' };
    await expect(test.refresh(refresh!.token)).rejects.toMatchObject(refused);
    const verifier = { verify: () => Promise.reject(new Error('is not an access token')) };
    const revoke = makeRevokeToken({ ...test, verifier });
    await expect(revoke(refresh!.token, { kind: 'holder' })).resolves.toBeUndefined();
  });
});
