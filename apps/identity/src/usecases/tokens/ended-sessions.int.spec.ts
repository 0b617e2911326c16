import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { decodeJwt } from 'jose';
import type { Claims } from '@daycare/auth';
import type { Revocation } from '../../domain/revocation';
import { openTestSessions } from '../../test-support/test-sessions';
import { makeRevokeToken } from './revoke-token';

let test: Awaited<ReturnType<typeof openTestSessions>>;
beforeAll(async () => {
  test = await openTestSessions();
});
afterAll(() => test.close());

const admin = { kind: 'admin', credentialId: 'secret1' } as const;
const issue = (userId: string) =>
  test.issue({ requester: admin, userId, agentId: '', publicKeyJwk: '' });
const entries = (): Promise<Revocation[]> => test.revocations.listAfter(0, 10_000);
const sessionIdOf = (token: string): string => decodeJwt(token)['sid'] as string;
const signOut = (userId: string): Promise<number> =>
  test.manage.revokeSessions({ kind: 'person', userId }, { kind: 'user', userId });

describe('revocations of a credential', () => {
  it('ending the sessions of a credential also revokes the token of a session that is refreshed just before it is removed', async () => {
    const { refresh } = await issue(await test.newUser());
    const remove = test.sessions.removeByOpener.bind(test.sessions);
    let late = '';
    jest.spyOn(test.sessions, 'removeByOpener').mockImplementationOnce(async (name) => {
      test.advance(60_000);
      late = (await test.refresh(refresh!.token)).accessToken;
      return remove(name);
    });
    await test.manage.revokeSessions({ kind: 'admin' }, { kind: 'credential', name: 'admin' });
    const entry = (await entries()).find(({ id }) => id === 'credential:secret1');
    expect(entry!.issuedBefore!.getTime()).toBeGreaterThan(decodeJwt(late).iat! * 1000);
  });

  it('revoking a credential again never moves the time of its revocation back, even if a replica’s clock is slow', async () => {
    const id = 'credential:secret3';
    const [early, late] = [new Date(1_000), new Date(2_000)];
    const expiresAt = new Date(test.now().getTime() + 60_000);
    for (const issuedBefore of [late, early])
      await test.revocations.add([{ id, expiresAt, issuedBefore }]);
    expect((await entries()).find((entry) => entry.id === id)!.issuedBefore).toEqual(late);
  });
});

describe('endSessions', () => {
  it('an ended session needs no revocation once its last access token has expired', async () => {
    const ada = await test.newUser();
    const unused = await issue(ada);
    test.advance(17 * 60_000);
    const used = await issue(ada);
    await expect(signOut(ada)).resolves.toBe(2);
    const revoked = (await entries()).map(({ id }) => id);
    expect(revoked).toContain(sessionIdOf(used.accessToken));
    expect(revoked).not.toContain(sessionIdOf(unused.accessToken));
    const refused = { code: 'UNAUTHENTICATED' };
    for (const { refresh } of [unused, used])
      await expect(test.refresh(refresh!.token)).rejects.toMatchObject(refused);
  });

  it('a session that is refreshed while it is being ended is also revoked', async () => {
    const ada = await test.newUser();
    const { accessToken, refresh } = await issue(ada);
    test.advance(17 * 60_000);
    const remove = test.sessions.removeUnused.bind(test.sessions);
    jest.spyOn(test.sessions, 'removeUnused').mockImplementationOnce(async (ids, since) => {
      await test.refresh(refresh!.token);
      return remove(ids, since);
    });
    await expect(signOut(ada)).resolves.toBe(1);
    expect((await entries()).map(({ id }) => id)).toContain(sessionIdOf(accessToken));
    await expect(test.sessions.find(sessionIdOf(accessToken))).resolves.toBeUndefined();
  });

  it('a thousand ended sessions whose access tokens have expired do not keep their owner from signing in again', async () => {
    const ada = await test.newUser();
    const { accessToken } = await issue(ada);
    const { id, ...session } = (await test.sessions.find(sessionIdOf(accessToken)))!;
    const copies = Array.from({ length: 999 }, () => ({ _id: createId(), ...session }));
    await test.mongo.db.collection<{ _id: string }>('sessions').insertMany(copies);
    test.advance(17 * 60_000);
    await expect(signOut(ada)).resolves.toBe(1_000);
    await expect(issue(ada)).resolves.toBeDefined();
    expect((await entries()).map((entry) => entry.id)).not.toContain(id);
  });
});

describe('the limit on sessions', () => {
  it('an owner’s 1,001st session ends only the least recently used one, even if that is a subuser’s', async () => {
    const [ada, bob] = [await test.newUser(), await test.newUser()];
    const bot = await test.newUser(ada);
    const bobsSession = await issue(bob);
    const oldest = await issue(bot);
    test.advance(60_000);
    const older = await issue(ada);
    const { id: _id, ...session } = (await test.sessions.find(sessionIdOf(older.accessToken)))!;
    const rotatedAt = new Date(session.rotatedAt.getTime() + 30_000);
    const copies = Array.from({ length: 998 }, () => ({ ...session, _id: createId(), rotatedAt }));
    const sessions = test.mongo.db.collection<{ _id: string }>('sessions');
    await sessions.insertMany(copies);
    test.advance(60_000);
    const newest = await issue(ada);
    await expect(test.refresh(oldest.refresh!.token)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect((await entries()).map(({ id }) => id)).toContain(sessionIdOf(oldest.accessToken));
    for (const { refresh } of [bobsSession, older, newest])
      await expect(test.refresh(refresh!.token)).resolves.toBeDefined();
    expect(await sessions.countDocuments({ 'holder.ownerId': ada })).toBe(1_000);
    // The older session has just been used, so another one is ended next.
    await issue(bot);
    await expect(test.sessions.find(sessionIdOf(older.accessToken))).resolves.toBeDefined();
    expect(await sessions.countDocuments({ 'holder.ownerId': ada })).toBe(1_000);
  });
});

describe('revokeToken', () => {
  it('revoking a client’s tokens adds a bounded number of revocations, however many tokens there are', async () => {
    const issuedAt = test.now().getTime() / 1000;
    const expiresAt = issuedAt + 900;
    const facts = { kind: 'client', name: 'telegram', credentialId: 'secret9', expiresAt } as const;
    const verify = async (tokenId: string): Promise<Claims> => ({ ...facts, tokenId, issuedAt });
    const revoke = makeRevokeToken({ ...test, verifier: { verify } });
    const before = (await entries()).length;
    for (let count = 0; count < 105; count += 1) await revoke(`t${count}`, { kind: 'holder' });
    const added = (await entries()).slice(before);
    expect(added).toHaveLength(101);
    const last = added.find(({ id }) => id === 'credential:secret9');
    expect(last!.issuedBefore!.getTime()).toBeGreaterThan(issuedAt * 1000);
  });
});
