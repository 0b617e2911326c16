import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { openTestSessions } from '../../test-support/test-sessions';
import type { TokenRequester } from './issue-token';

let test: Awaited<ReturnType<typeof openTestSessions>>;
beforeAll(async () => {
  test = await openTestSessions();
});
afterAll(() => test.close());

const admin: TokenRequester = { kind: 'admin', credentialId: 'secret1' };
const refused = { code: 'UNAUTHENTICATED' };
const notFound = { code: 'NOT_FOUND' };

const newUser = (parentUserId?: string): Promise<string> => test.newUser(parentUserId);
const issue = (userId: string, requester = admin) =>
  test.issue({ requester, userId, agentId: '', publicKeyJwk: '' });
const sessionIdOf = (accessToken: string): string => decodeJwt(accessToken)['sid'] as string;
const revokedIds = async (): Promise<string[]> =>
  (await test.revocations.listAfter(0, 10_000)).map(({ id }) => id);

describe('issueToken and refreshToken', () => {
  it('a session ends when the secret that opened it is removed, but not when another secret of the same credential is removed', async () => {
    const userId = await newUser();
    const first = await issue(userId);
    const second = await issue(userId, { kind: 'admin', credentialId: 'secret2' });
    test.credentialsInUse.delete('secret1');
    await expect(test.refresh(first.refresh!.token)).rejects.toMatchObject(refused);
    await expect(test.refresh(second.refresh!.token)).resolves.toBeDefined();
    test.credentialsInUse.add('secret1');
  });

  it('an operator’s session ends after half a day, however often it is refreshed', async () => {
    let { refresh } = await issue('');
    const openedAt = test.now().getTime();
    for (let hour = 0; hour < 11; hour += 1) {
      test.advance(3_600_000);
      ({ refresh } = await test.refresh(refresh!.token));
      expect(refresh!.expiresAt.getTime()).toBeLessThanOrEqual(openedAt + 12 * 3_600_000);
    }
    test.advance(3_600_000);
    await expect(test.refresh(refresh!.token)).rejects.toMatchObject(refused);
  });

  it('a session’s access tokens contain the id of the secret that opened it', async () => {
    const { accessToken } = await issue(await newUser());
    expect(decodeJwt(accessToken)['by']).toBe('secret1');
  });
});

describe('listing sessions', () => {
  it('a person’s own sessions and those of their subusers are listed in pages, newest first', async () => {
    const ada = await newUser();
    const helper = await newUser(ada);
    const opened: string[] = [];
    for (const userId of [ada, helper, ada]) {
      test.advance(1_000);
      opened.unshift(sessionIdOf((await issue(userId)).accessToken));
    }
    const manager = { kind: 'person', userId: ada } as const;
    const list = (pageToken: string) =>
      test.manage.listSessions({ manager, target: undefined, pageSize: 2, pageToken });
    const first = await list('');
    const second = await list(first.nextPageToken);
    const ids = [...first.sessions, ...second.sessions].map(({ id }) => id);
    expect([ids, second.nextPageToken]).toEqual([opened, '']);
  });

  it('a person cannot list other people’s sessions', async () => {
    const [ada, eve] = [await newUser(), await newUser()];
    const manager = { kind: 'person', userId: eve } as const;
    const page = { pageSize: 0, pageToken: '' };
    for (const target of [
      { kind: 'user', userId: ada },
      { kind: 'credential', name: 'admin' },
    ] as const) {
      await expect(test.manage.listSessions({ manager, target, ...page })).rejects.toMatchObject(
        notFound,
      );
    }
  });

  it('sessions are read through an index', async () => {
    for (const [field, value] of [
      ['holder.ownerId', 'ada'],
      ['opener.name', 'telegram'],
    ] as const) {
      const plan = await test.mongo.db
        .collection('sessions')
        .find({ [field]: value })
        .sort({ openedAt: -1, _id: -1 })
        .explain('queryPlanner');
      expect(JSON.stringify(plan['queryPlanner'].winningPlan)).not.toMatch(/COLLSCAN|"SORT"/);
    }
  });
});

describe('revoking sessions', () => {
  it('signs a person and their subusers out everywhere, but no other user', async () => {
    const [ada, eve] = [await newUser(), await newUser()];
    const helper = await newUser(ada);
    const mine = [await issue(ada), await issue(ada), await issue(helper)];
    const other = await issue(eve);
    const manager = { kind: 'person', userId: ada } as const;
    const target = { kind: 'user', userId: ada } as const;
    await expect(test.manage.revokeSessions(manager, target)).resolves.toBe(3);
    const revoked = await revokedIds();
    for (const { accessToken, refresh } of mine) {
      expect(revoked).toContain(sessionIdOf(accessToken));
      await expect(test.refresh(refresh!.token)).rejects.toMatchObject(refused);
    }
    await expect(test.refresh(other.refresh!.token)).resolves.toBeDefined();
    await expect(issue(ada)).resolves.toBeDefined();
  });

  it('a person can end one of their own sessions, but none of another person’s', async () => {
    const [ada, eve] = [await newUser(), await newUser()];
    const { accessToken, refresh } = await issue(ada);
    const target = { kind: 'session', sessionId: sessionIdOf(accessToken) } as const;
    const asEve = test.manage.revokeSessions({ kind: 'person', userId: eve }, target);
    await expect(asEve).rejects.toMatchObject(notFound);
    const asAda = { kind: 'person', userId: ada } as const;
    await expect(test.manage.revokeSessions(asAda, target)).resolves.toBe(1);
    await expect(test.refresh(refresh!.token)).rejects.toMatchObject(refused);
  });

  it('ends all of a credential’s sessions with one revocation for each of its secrets', async () => {
    const requester: TokenRequester = { kind: 'admin', credentialId: 'secret1' };
    const issued = [await issue(await newUser(), requester), await issue('', requester)];
    const before = (await revokedIds()).length;
    const target = { kind: 'credential', name: 'admin' } as const;
    await test.manage.revokeSessions({ kind: 'admin' }, target);
    expect((await revokedIds()).slice(before).sort()).toEqual([
      'credential:secret1',
      'credential:secret2',
    ]);
    for (const { refresh } of issued)
      await expect(test.refresh(refresh!.token)).rejects.toMatchObject(refused);
  });
});

describe('the revocations of one owner', () => {
  it('an owner with too many revocations cannot open another session until some have expired', async () => {
    const ada = await newUser();
    const expiresAt = new Date(test.now().getTime() + 60_000);
    const entries = Array.from({ length: 1_000 }, (_, number) => `${ada}-${number}`);
    await test.revocations.add(entries.map((id) => ({ id, expiresAt, ownerId: ada })));
    await expect(issue(ada)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(issue(await newUser())).resolves.toBeDefined();
    test.advance(180_000);
    await expect(issue(ada)).resolves.toBeDefined();
  });

  it('an owner’s revocations last as long as the longest-lived token that any replica may have issued', async () => {
    await test.mongo.db
      .collection('signing_keys')
      .updateMany({}, { $set: { maxTokenMs: 3_600_000 } });
    const ada = await newUser();
    const { accessToken } = await issue(ada);
    const target = { kind: 'user', userId: ada } as const;
    await test.manage.revokeSessions({ kind: 'admin' }, target);
    const entries = await test.revocations.listAfter(0, 10_000);
    const entry = entries.find(({ id }) => id === sessionIdOf(accessToken));
    const lifetimeMs = entry!.expiresAt.getTime() - test.now().getTime();
    expect(lifetimeMs).toBeGreaterThanOrEqual(3_600_000);
  });
});

describe('SigningKeys', () => {
  it('rotating the signing key creates one key per request id and, if requested, removes all older keys', async () => {
    const before = test.keys.publicKeys().keys.map(({ kid }) => kid);
    const rotated = await test.keys.rotate('r1', true);
    await expect(test.keys.rotate('r1', true)).resolves.toMatchObject({ id: rotated.id });
    expect(test.keys.publicKeys().keys.map(({ kid }) => kid)).toEqual([rotated.id]);
    expect(before).not.toContain(rotated.id);
    await expect(test.keys.signingKey()).resolves.toMatchObject({ id: rotated.id });
  });

  it('rotating the signing key without removing the older keys publishes the new key before it is used to sign', async () => {
    const before = await test.keys.signingKey();
    const { id } = await test.keys.rotate('r2', false);
    expect(test.keys.publicKeys().keys.map(({ kid }) => kid)).toEqual([before.id, id]);
    await expect(test.keys.signingKey()).resolves.toMatchObject({ id: before.id });
    test.advance(30_000);
    await expect(test.keys.signingKey()).resolves.toMatchObject({ id });
  });
});
