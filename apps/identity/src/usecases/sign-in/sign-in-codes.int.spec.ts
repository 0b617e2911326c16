import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { decodeJwt } from 'jose';
import { openTestSessions } from '../../test-support/test-sessions';
import { makeSignInCodes } from './sign-in-codes';
import type { SignedInPerson } from './signed-in-person';

let test: Awaited<ReturnType<typeof openTestSessions>>;
let codes: ReturnType<typeof makeSignInCodes>;
beforeAll(async () => {
  test = await openTestSessions();
  codes = makeSignInCodes(test);
});
afterAll(() => test.close());

const admin: SignedInPerson = { kind: 'admin', credentialId: 'secret1' };
const refused = { code: 'UNAUTHENTICATED' };
const create = async (userId: string, creator: SignedInPerson = admin): Promise<string> =>
  (await codes.createSignInCode(creator, userId)).code;

const signIn = async (userId: string) => {
  const requester = { kind: 'admin', credentialId: 'secret2' } as const;
  const issued = await test.issue({ requester, userId, agentId: '', publicKeyJwk: '' });
  const sessionId = decodeJwt(issued.accessToken)['sid'] as string;
  return { kind: 'person', userId, sessionId } as const;
};

describe('createSignInCode and exchangeSignInCode', () => {
  it('a sign-in code opens one session, for whoever uses it first', async () => {
    const userId = await test.newUser();
    const code = await create(userId);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => codes.exchangeSignInCode(code)),
    );
    const opened = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(opened).toHaveLength(1);
    const { accessToken, refresh } = opened[0]!.value;
    expect(decodeJwt(accessToken)).toMatchObject({ sub: userId, kind: 'user', by: 'secret1' });
    expect(decodeJwt(accessToken)).not.toHaveProperty('scope');
    await expect(test.refresh(refresh!.token)).resolves.toBeDefined();
  });

  it('a sign-in code expires after a quarter of an hour', async () => {
    const code = await create(await test.newUser());
    test.advance(15 * 60_000);
    await expect(codes.exchangeSignInCode(code)).rejects.toMatchObject(refused);
  });

  it('a sign-in code is stored as a hash', async () => {
    const code = await create(await test.newUser());
    const stored = await test.mongo.db.collection('sign_in_codes').find().toArray();
    expect(JSON.stringify(stored)).not.toContain(code.slice('dcc_'.length));
  });

  it('a sign-in code ends with its creator’s credential, and so does the session that it opened', async () => {
    const userId = await test.newUser();
    const [used, unused] = [await create(userId), await create(userId)];
    const { refresh } = await codes.exchangeSignInCode(used);
    test.credentialsInUse.delete('secret1');
    await expect(codes.exchangeSignInCode(unused)).rejects.toMatchObject(refused);
    await expect(test.refresh(refresh!.token)).rejects.toMatchObject(refused);
    test.credentialsInUse.add('secret1');
  });

  it('a new sign-in code replaces the oldest one when a user has too many', async () => {
    const userId = await test.newUser();
    const made: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      test.advance(1_000);
      made.push(await create(userId));
    }
    const [oldest, ...others] = made;
    await expect(codes.exchangeSignInCode(oldest!)).rejects.toMatchObject(refused);
    for (const code of others) await expect(codes.exchangeSignInCode(code)).resolves.toBeDefined();
  });

  it('a person can create a sign-in code only for themselves', async () => {
    const [ada, eve] = [await test.newUser(), await test.newUser()];
    const person = await signIn(ada);
    const { accessToken } = await codes.exchangeSignInCode(await create('', person));
    expect(decodeJwt(accessToken)).toMatchObject({ sub: ada, by: 'secret2' });
    for (const userId of [eve, createId()])
      await expect(create(userId, person)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('revokeSessions', () => {
  it('signing a user out everywhere ends the unused sign-in codes for the user and its subusers, but no others', async () => {
    const [ada, bob] = [await test.newUser(), await test.newUser()];
    const bot = await test.newUser(ada);
    const ended = [await create('', await signIn(ada)), await create(ada), await create(bot)];
    const other = await create(bob);
    const own = { kind: 'person', userId: ada } as const;
    await test.manage.revokeSessions(own, { kind: 'user', userId: ada });
    for (const code of ended)
      await expect(codes.exchangeSignInCode(code)).rejects.toMatchObject(refused);
    await expect(codes.exchangeSignInCode(other)).resolves.toBeDefined();
  });

  it('signing out a subuser ends its sign-in codes, but not its owner’s', async () => {
    const ada = await test.newUser();
    const bot = await test.newUser(ada);
    const [own, ended] = [await create(ada), await create(bot)];
    await test.manage.revokeSessions({ kind: 'admin' }, { kind: 'user', userId: bot });
    await expect(codes.exchangeSignInCode(ended)).rejects.toMatchObject(refused);
    await expect(codes.exchangeSignInCode(own)).resolves.toBeDefined();
  });

  it('ending a session ends the sign-in codes that were created in it', async () => {
    const ada = await test.newUser();
    const [ended, other] = [await signIn(ada), await signIn(ada)];
    const [unused, living] = [await create('', ended), await create('', other)];
    const { sessionId } = ended;
    await test.manage.revokeSessions({ kind: 'admin' }, { kind: 'session', sessionId });
    await expect(codes.exchangeSignInCode(unused)).rejects.toMatchObject(refused);
    await expect(codes.exchangeSignInCode(living)).resolves.toBeDefined();
  });

  it('revoking the sessions of a credential ends the sign-in codes that were created with it', async () => {
    const code = await create(await test.newUser());
    await test.manage.revokeSessions({ kind: 'admin' }, { kind: 'credential', name: 'admin' });
    await expect(codes.exchangeSignInCode(code)).rejects.toMatchObject(refused);
  });
});
