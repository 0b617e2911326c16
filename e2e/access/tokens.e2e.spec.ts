import { describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { ListSessionsRequest, type TokenPair } from '@daycare/contracts/identity';
import { SignalState } from '@daycare/contracts/topology';
import { AppError } from '@daycare/api';
import { serviceNames } from '@daycare/local-stack';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { issueServiceCredential } from '../support/people/service-credential';
import { useStack } from '../support/stack/use-stack';

const stack = useStack({
  env: {
    DAYCARE_ROTATE_KEYS_MS: '1500',
    DAYCARE_ANNOUNCE_KEYS_MS: '500',
    DAYCARE_ACCESS_TOKEN_MS: '60000',
  },
});
const { identity, graph, runtime, topology } = stack;

/** One call per service, which a user's access token may make while it is valid. */
const probes: Record<string, (options: CallOptions) => Promise<unknown>> = {
  identity: (options) => identity.listSubusers({ pageSize: 1, pageToken: '' }, options),
  'social-graph': (options) => graph.listFriends({ pageSize: 1, pageToken: '' }, options),
  'agent-runtime': (options) =>
    runtime.listDeadLetters({ pageSize: 1, pageToken: '', agentId: '' }, options),
  topology: (options) =>
    topology.listSignals(
      { pageSize: 1, pageToken: '', pattern: '', state: SignalState.UNSPECIFIED },
      options,
    ),
};

const bearer = (token: string): CallOptions => ({ metadata: { authorization: `Bearer ${token}` } });

let users = 0;
async function newUser(): Promise<string> {
  const request = { requestId: `user-${(users += 1)}`, name: 'Ada' };
  const { user } = await identity.createUser(request, { metadata: stack.adminMetadata });
  return user!.id;
}

async function signIn(userId: string): Promise<TokenPair> {
  const request = { userId, agentId: '', publicKeyJwk: '' };
  const { tokens } = await identity.issueToken(request, { metadata: stack.adminMetadata });
  return tokens!;
}

/** Reports whether a service accepts a token. */
async function accepts(service: string, token: string): Promise<boolean> {
  try {
    await probes[service]!(bearer(token));
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe('UNAUTHENTICATED');
    return false;
  }
}

const acceptedBy = async (token: string): Promise<string[]> => {
  const answers = await Promise.all(
    serviceNames.map(async (name) => [name, await accepts(name, token)] as const),
  );
  return answers.filter(([, isAccepted]) => isAccepted).map(([name]) => name);
};

describe('key rotation under load', () => {
  it('no call fails while signing keys are rotated under load, whichever key signed its token', async () => {
    const userId = await newUser();
    const tokenOfKey = new Map<string, string>();
    const deadline = Date.now() + 40_000;
    let calls = 0;
    const lane = async (): Promise<void> => {
      while (tokenOfKey.size < 4 && Date.now() < deadline) {
        const { accessToken } = await signIn(userId);
        const { kid } = decodeProtectedHeader(accessToken);
        if (!tokenOfKey.has(kid!)) tokenOfKey.set(kid!, accessToken);
        for (const token of [accessToken, ...tokenOfKey.values()]) {
          expect(await acceptedBy(token)).toEqual(serviceNames);
          calls += serviceNames.length;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(tokenOfKey.size).toBeGreaterThanOrEqual(4);
    expect(calls).toBeGreaterThan(100);
  });
});

describe('revoking tokens', () => {
  it('a revoked access token is refused by every service within five seconds', async () => {
    const { accessToken } = await signIn(await newUser());
    await expect(acceptedBy(accessToken)).resolves.toEqual(serviceNames);
    await identity.revokeToken({ token: accessToken });
    await eventually(async () => (await acceptedBy(accessToken)).length === 0, {
      timeoutMs: 5_000,
    });
  });

  it('within five seconds of the revocation of a personal access token, every service refuses the access tokens issued for it', async () => {
    const person = await stack.people.newPerson();
    const scopes = ['agents:read', 'friends', 'subusers'];
    const { secret, tokenId, authorization } = await stack.people.newAccessToken(person, {
      scopes,
    });
    const accessToken = authorization.slice('Bearer '.length);
    await expect(acceptedBy(accessToken)).resolves.toEqual(serviceNames);
    await identity.revokeAccessToken({ tokenId }, person.as);
    await expect(identity.exchangeAccessToken({ secret })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    await eventually(async () => (await acceptedBy(accessToken)).length === 0, {
      timeoutMs: 5_000,
    });
  });

  it('revoking a refresh token ends its whole session', async () => {
    const first = await signIn(await newUser());
    const { tokens: second } = await identity.refreshToken({ refreshToken: first.refreshToken });
    await identity.revokeToken({ token: second!.refreshToken });
    await expect(
      identity.refreshToken({ refreshToken: second!.refreshToken }),
    ).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    await eventually(
      async () =>
        (await acceptedBy(first.accessToken)).length +
          (await acceptedBy(second!.accessToken)).length ===
        0,
      { timeoutMs: 5_000 },
    );
  });
});

describe('refreshing tokens', () => {
  it('refreshing returns a new pair of tokens for the same user', async () => {
    const first = await signIn(await newUser());
    const { tokens } = await identity.refreshToken({ refreshToken: first.refreshToken });
    expect(tokens!.refreshToken).not.toBe(first.refreshToken);
    await expect(acceptedBy(tokens!.accessToken)).resolves.toEqual(serviceNames);
  });

  it('refreshing works even if the caller also sends an invalid access token', async () => {
    const first = await signIn(await newUser());
    const refresh = { refreshToken: first.refreshToken };
    await expect(identity.refreshToken(refresh, bearer('a.b.c'))).resolves.toBeDefined();
  });

  it('refreshing with a token older than the previous one ends the session', async () => {
    const first = await signIn(await newUser());
    const { tokens: second } = await identity.refreshToken({ refreshToken: first.refreshToken });
    const { tokens: third } = await identity.refreshToken({ refreshToken: second!.refreshToken });
    const refused = { code: 'UNAUTHENTICATED', message: 'The refresh token is not valid' };
    await expect(identity.refreshToken({ refreshToken: first.refreshToken })).rejects.toMatchObject(
      refused,
    );
    await expect(
      identity.refreshToken({ refreshToken: third!.refreshToken }),
    ).rejects.toMatchObject(refused);
    await eventually(async () => (await acceptedBy(third!.accessToken)).length === 0, {
      timeoutMs: 5_000,
    });
  });
});

describe('stolen signing keys', () => {
  it('removing the old signing keys invalidates the access tokens signed with them within five seconds, while sessions and services continue', async () => {
    const { accessToken, refreshToken } = await signIn(await newUser());
    await expect(acceptedBy(accessToken)).resolves.toEqual(serviceNames);
    const admin = { metadata: stack.adminMetadata };
    const request = { requestId: 'stolen', removeOthers: true };
    await identity.rotateSigningKey(request, admin);
    await eventually(async () => (await acceptedBy(accessToken)).length === 0, {
      timeoutMs: 5_000,
    });
    const { tokens } = await identity.refreshToken({ refreshToken });
    await expect(acceptedBy(tokens!.accessToken)).resolves.toEqual(serviceNames);
    // social-graph has never seen this nametag, so it calls identity with its own service token.
    const { nametag } = await stack.people.newPerson();
    const options = bearer(tokens!.accessToken);
    await eventually(() => graph.addFriend({ requestId: 'after', nametag }, options), {
      timeoutMs: 5_000,
    });
  });
});

describe('a person’s sessions', () => {
  it('signing out everywhere ends all of a person’s sessions within five seconds, and no one else’s', async () => {
    const [userId, otherId] = [await newUser(), await newUser()];
    const [first, second, other] = [
      await signIn(userId),
      await signIn(userId),
      await signIn(otherId),
    ];
    const target = { $case: 'userId', value: userId } as const;
    const asUser = bearer(first.accessToken);
    const { sessions } = await identity.listSessions(ListSessionsRequest.create(), asUser);
    expect(sessions.map(({ openedBy }) => openedBy)).toEqual(['admin', 'admin']);
    await expect(identity.revokeSessions({ target }, asUser)).resolves.toEqual({ ended: 2 });
    await eventually(
      async () =>
        (await acceptedBy(first.accessToken)).length +
          (await acceptedBy(second.accessToken)).length ===
        0,
      { timeoutMs: 5_000 },
    );
    await expect(
      identity.refreshToken({ refreshToken: second.refreshToken }),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(acceptedBy(other.accessToken)).resolves.toEqual(serviceNames);
    const again = await signIn(userId);
    await expect(acceptedBy(again.accessToken)).resolves.toEqual(serviceNames);
  });
});

describe('a service’s token', () => {
  it('only an operator can revoke a service’s token; having the token is not enough', async () => {
    const credential = await issueServiceCredential(stack, identity, 'topology');
    const { authorization = '' } = await credential.metadata('identity')('any');
    const token = authorization.slice('Bearer '.length);
    const refused = { code: 'PERMISSION_DENIED' };
    await expect(identity.revokeToken({ token })).rejects.toMatchObject(refused);
    const { accessToken } = await signIn(await newUser());
    const asUser = identity.revokeToken({ token }, bearer(accessToken));
    await expect(asUser).rejects.toMatchObject(refused);
    await identity.revokeToken({ token }, { metadata: stack.adminMetadata });
  });
});

describe('a deleted user', () => {
  it('every service refuses a deleted user and the user’s subusers, and neither can be found', async () => {
    const userId = await newUser();
    const { accessToken, refreshToken } = await signIn(userId);
    const asUser = bearer(accessToken);
    const draft = { requestId: 'helper', name: 'Helper', description: 'helps' };
    const { subuser } = await identity.createSubuser(draft, asUser);
    const tokensOfSubuser = await signIn(subuser!.id);
    await identity.deleteUser({ requestId: 'bye', userId }, asUser);
    const admin = { metadata: stack.adminMetadata };
    await identity.deleteUser({ requestId: 'bye', userId }, admin);
    for (const id of [userId, subuser!.id]) {
      await expect(identity.getUser({ userId: id }, admin)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    const nametag = { nametag: subuser!.nametag };
    await expect(identity.resolveNametag(nametag, admin)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(identity.refreshToken({ refreshToken })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    await eventually(
      async () =>
        (await acceptedBy(accessToken)).length +
          (await acceptedBy(tokensOfSubuser.accessToken)).length ===
        0,
      { timeoutMs: 5_000 },
    );
  });
});
