import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { decodeJwt } from 'jose';
import type { AppError } from '@daycare/api';
import type { Claims } from '@daycare/auth';
import { maxTokensPerOwner } from '../../domain/sign-in/personal-token';
import { openTestSessions } from '../../test-support/test-sessions';
import { makeRevokeToken } from '../tokens/revoke-token';
import { makeCreateAccessToken, type CreateAccessTokenCommand } from './create-access-token';
import { makeExchangeAccessToken } from './exchange-access-token';
import { makeRevokeAccessToken } from './revoke-access-token';
import type { SignedInPerson } from './signed-in-person';

let test: Awaited<ReturnType<typeof openTestSessions>>;
let create: ReturnType<typeof makeCreateAccessToken>;
let exchange: ReturnType<typeof makeExchangeAccessToken>;
let revoke: ReturnType<typeof makeRevokeAccessToken>;

beforeAll(async () => {
  test = await openTestSessions();
  create = makeCreateAccessToken(test);
  exchange = makeExchangeAccessToken(test);
  revoke = makeRevokeAccessToken(test);
});
afterAll(() => test.close());

const refused = { code: 'UNAUTHENTICATED', message: 'The personal access token is not valid' };
const admin: SignedInPerson = { kind: 'admin', credentialId: 'secret1' };

async function signIn(): Promise<Extract<SignedInPerson, { kind: 'person' }>> {
  const userId = await test.newUser();
  const holder = { kind: 'user', userId, agentId: undefined, ownerId: userId } as const;
  const issued = await test.mint.openSession(holder, { name: 'web', credentialId: 'secret2' });
  return { kind: 'person', userId, sessionId: decodeJwt(issued.accessToken)['sid'] as string };
}

const createFor = (creator: SignedInPerson, changes: Partial<CreateAccessTokenCommand> = {}) =>
  create({
    creator,
    requestId: createId(),
    name: 'backup script',
    scopes: ['agents:read'],
    subuserId: '',
    lifetimeMs: 0,
    ...changes,
  });
const claimsOf = async (secret: string) => decodeJwt((await exchange(secret)).accessToken);
const claimsIn = async (text: string): Promise<Claims> => {
  const { jti, sub, sid, by, iat, exp, kind } =
    decodeJwt<Record<'sid' | 'by' | 'kind', string>>(text);
  const issuer = { sessionId: sid, credentialId: by };
  const facts = { ...issuer, tokenId: jti!, issuedAt: iat!, expiresAt: exp! };
  return kind === 'admin' ? { kind, ...facts } : { kind: 'user', userId: sub!, ...facts };
};
const revokedIds = async (): Promise<string[]> =>
  (await test.revocations.listAfter(0, 10_000)).map(({ id }) => id);

describe('createAccessToken and exchangeAccessToken', () => {
  it('a personal access token is exchanged for access tokens with its scopes, and stops working when its creator’s credential is removed', async () => {
    const ada = await signIn();
    const { token, secret } = await createFor(ada, { scopes: ['friends', 'agents:read'] });
    expect(await claimsOf(secret)).toMatchObject({
      sub: ada.userId,
      kind: 'user',
      scope: 'friends agents:read',
      sid: token.id,
      by: 'secret2',
    });
    test.credentialsInUse.delete('secret2');
    await expect(exchange(secret)).rejects.toMatchObject(refused);
    test.credentialsInUse.add('secret2');
  });

  it('a personal access token is stored as a hash', async () => {
    const { token, secret } = await createFor(await signIn());
    const stored = await test.mongo.db
      .collection<{ _id: string }>('personal_tokens')
      .findOne({ _id: token.id });
    expect(JSON.stringify(stored)).not.toContain(secret.split('.')[1]);
  });

  it('a personal access token acts as the subuser that it is bound to', async () => {
    const ada = await signIn();
    const subuserId = await test.newUser(ada.userId);
    const { secret } = await createFor(ada, { subuserId });
    expect(await claimsOf(secret)).toMatchObject({ sub: subuserId, parent: ada.userId });
  });

  it('a personal access token cannot be bound to a subuser of someone else', async () => {
    const [ada, eve] = [await signIn(), await signIn()];
    const subuserId = await test.newUser(ada.userId);
    const attempt = createFor(eve, { subuserId });
    await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['an unknown scope', { scopes: ['everything'] }],
    ['no scope', { scopes: [] }],
    ['the operators’ scope', { scopes: ['admin'] }],
    ['a lifetime of seconds', { lifetimeMs: 1_000 }],
    ['a lifetime of years', { lifetimeMs: 400 * 86_400_000 }],
    ['no name', { name: ' ' }],
  ])('a person cannot create a personal access token with %s', async (_, changes) => {
    await expect(createFor(await signIn(), changes)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('a personal access token for a subuser can have only scopes that subusers can use', async () => {
    const ada = await signIn();
    const subuserId = await test.newUser(ada.userId);
    for (const scope of ['friends', 'subusers', 'permissions:decide'])
      await expect(createFor(ada, { subuserId, scopes: [scope] })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
  });

  it('an operator’s personal access token has the operators’ scope and no other', async () => {
    const { secret } = await createFor(admin, { scopes: ['admin'] });
    expect(await claimsOf(secret)).toMatchObject({ kind: 'admin', scope: 'admin', by: 'secret1' });
    await expect(createFor(admin)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('a personal access token cannot be created in a session that has ended', async () => {
    const ada = await signIn();
    await test.sessions.remove([ada.sessionId]);
    await expect(createFor(ada)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('a personal access token expires, and the access tokens issued for it expire no later', async () => {
    const { token, secret } = await createFor(await signIn(), { lifetimeMs: 120_000 });
    test.advance(60_000);
    const { exp } = await claimsOf(secret);
    expect(exp).toBeLessThanOrEqual(token.expiresAt.getTime() / 1000);
    test.advance(60_000);
    await expect(exchange(secret)).rejects.toMatchObject(refused);
  });

  it('a personal access token with a wrong secret, a wrong id or a wrong format is refused', async () => {
    const ada = await signIn();
    const [mine, other] = [await createFor(ada), await createFor(ada)];
    const [id, secret] = mine.secret.split('.');
    for (const forged of [
      `${id}.${other.secret.split('.')[1]}`,
      `dcp_${createId()}.${secret}`,
      `${secret}`,
      'dcp_',
    ])
      await expect(exchange(forged)).rejects.toMatchObject(refused);
  });
});

describe('creating a personal access token again with the same request id', () => {
  it('a retry replaces the secret that was lost with the response', async () => {
    const ada = await signIn();
    const requestId = createId();
    const lost = await createFor(ada, { requestId });
    const received = await createFor(ada, { requestId });
    expect(received.token.id).toBe(lost.token.id);
    await expect(exchange(lost.secret)).rejects.toMatchObject(refused);
    await expect(exchange(received.secret)).resolves.toBeDefined();
    await expect(test.personalTokens.list(ada.userId, test.now())).resolves.toHaveLength(1);
  });

  it('a retry replaces neither a secret that has been used nor one that is ten minutes old', async () => {
    const ada = await signIn();
    const [usedId, oldId] = [createId(), createId()];
    const used = await createFor(ada, { requestId: usedId });
    await exchange(used.secret);
    await createFor(ada, { requestId: oldId });
    const conflict = { code: 'CONFLICT' };
    await expect(createFor(ada, { requestId: usedId })).rejects.toMatchObject(conflict);
    test.advance(600_000);
    await expect(createFor(ada, { requestId: oldId })).rejects.toMatchObject(conflict);
    await expect(exchange(used.secret)).resolves.toBeDefined();
  });

  it('a request id cannot be reused for a different personal access token', async () => {
    const ada = await signIn();
    const requestId = createId();
    await createFor(ada, { requestId });
    const attempt = createFor(ada, { requestId, scopes: ['friends'] });
    await expect(attempt).rejects.toMatchObject({ code: 'REQUEST_ID_REUSED' });
  });
});

describe('the personal access tokens of an owner', () => {
  it('retrying a creation succeeds even if the owner has reached the limit on personal access tokens', async () => {
    const ada = await signIn();
    const ids = Array.from({ length: maxTokensPerOwner }, () => createId());
    await Promise.all(ids.map((requestId) => createFor(ada, { requestId })));
    await expect(createFor(ada)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(createFor(ada, { requestId: ids[0]! })).resolves.toBeDefined();
  });

  it('an owner has a limited number of personal access tokens, however many are requested concurrently', async () => {
    const ada = await signIn();
    const subuserId = await test.newUser(ada.userId);
    const attempts = Array.from({ length: maxTokensPerOwner + 5 }, (_, number) =>
      createFor(ada, { subuserId: number % 2 ? subuserId : '' }).catch(
        (error: unknown) => (error as AppError).code,
      ),
    );
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((outcome) => outcome === 'QUOTA_EXCEEDED')).toHaveLength(5);
    const [first] = await test.personalTokens.list(ada.userId, test.now());
    await revoke(ada.userId, first!.id);
    await expect(createFor(ada)).resolves.toBeDefined();
  });

  it('the list of personal access tokens shows each token’s last use, which is stored at most once in five minutes', async () => {
    const ada = await signIn();
    const { secret } = await createFor(ada);
    const lastUse = async () =>
      (await test.personalTokens.list(ada.userId, test.now()))[0]?.lastUsedAt?.getTime();
    expect(await lastUse()).toBeUndefined();
    const firstUse = test.now().getTime();
    for (const [afterMs, stored] of [
      [0, firstUse],
      [299_999, firstUse],
      [1, firstUse + 300_000],
    ] as const) {
      test.advance(afterMs);
      await exchange(secret);
      expect(await lastUse()).toBe(stored);
    }
  });
});

describe('revoking a personal access token', () => {
  it('a revoked personal access token is refused immediately, and the revocation of its access tokens is published', async () => {
    const ada = await signIn();
    const { token, secret } = await createFor(ada);
    await exchange(secret);
    await revoke(ada.userId, token.id);
    await expect(exchange(secret)).rejects.toMatchObject(refused);
    expect(await revokedIds()).toContain(token.id);
    await expect(revoke(ada.userId, token.id)).resolves.toBeUndefined();
  });

  it('revoking a personal access token publishes nothing if it was never used or all its access tokens have expired', async () => {
    const ada = await signIn();
    const [unused, old] = [await createFor(ada), await createFor(ada)];
    await exchange(old.secret);
    test.advance(22 * 60_000);
    const before = await revokedIds();
    for (const { token } of [unused, old]) await revoke(ada.userId, token.id);
    expect(await revokedIds()).toEqual(before);
  });

  it('revoking someone else’s personal access token fails with the same error as revoking one that does not exist', async () => {
    const [ada, eve] = [await signIn(), await signIn()];
    const { token, secret } = await createFor(ada);
    const asEve = await revoke(eve.userId, token.id).catch((error: unknown) => error);
    const absent = await revoke(eve.userId, createId()).catch((error: unknown) => error);
    expect(asEve).toEqual(absent);
    await expect(exchange(secret)).resolves.toBeDefined();
  });

  it('whoever holds the secret of a personal access token can revoke it with RevokeToken', async () => {
    const { token, secret } = await createFor(await signIn());
    await exchange(secret);
    const verifier = { verify: () => Promise.reject(new Error('not an access token')) };
    await makeRevokeToken({ ...test, verifier })(secret, { kind: 'holder' });
    expect(await revokedIds()).toContain(token.id);
    await expect(exchange(secret)).rejects.toMatchObject(refused);
  });

  it.each([
    ['a person', signIn, 'agents:read'],
    ['an operator', async () => admin, 'admin'],
  ])(
    'repeatedly revoking the access tokens of %s ends the personal access token for which they were issued',
    async (_, creatorOf, scope) => {
      const { token, secret } = await createFor(await creatorOf(), { scopes: [scope] });
      const revokeToken = makeRevokeToken({ ...test, verifier: { verify: claimsIn } });
      const revokeNext = async () =>
        revokeToken((await exchange(secret)).accessToken, { kind: 'holder' });
      const before = (await revokedIds()).length;
      for (let count = 0; count < 101; count += 1) await revokeNext();
      await expect(revokeNext()).rejects.toMatchObject(refused);
      const added = (await revokedIds()).slice(before);
      expect(added).toHaveLength(101);
      expect(added.at(-1)).toBe(token.id);
    },
  );

  it('signing a user out everywhere ends the user’s personal access tokens, and revoking a credential ends those created with it', async () => {
    const [ada, bob] = [await signIn(), await signIn()];
    const subuserId = await test.newUser(ada.userId);
    const tokens = [await createFor(ada), await createFor(ada, { subuserId })];
    const other = await createFor(bob);
    const everywhere = { kind: 'user', userId: ada.userId } as const;
    await expect(test.manage.revokeSessions({ kind: 'admin' }, everywhere)).resolves.toBe(3);
    for (const { secret } of tokens) await expect(exchange(secret)).rejects.toMatchObject(refused);
    await expect(exchange(other.secret)).resolves.toBeDefined();
    await test.manage.revokeSessions({ kind: 'admin' }, { kind: 'credential', name: 'web' });
    await expect(exchange(other.secret)).rejects.toMatchObject(refused);
  });
});
