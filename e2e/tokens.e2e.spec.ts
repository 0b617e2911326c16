import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { IdentityServiceService, type TokenPair } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { SignalState, TopologyServiceService } from '@daycare/contracts/topology';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/errors';
import { serviceNames } from '@daycare/local-stack';
import { createRpcClient, type CallOptions, type RpcClient } from '@daycare/rpc';
import { eventually, startTestStack, type TestStack } from '@daycare/testing';

let stack: TestStack;
let identity: RpcClient<typeof IdentityServiceService>;
let probes: Record<string, (options: CallOptions) => Promise<unknown>>;
const closing: (() => void)[] = [];

beforeAll(async () => {
  stack = await startTestStack({
    services: serviceNames,
    env: {
      DAYCARE_ROTATE_KEYS_MS: '1500',
      DAYCARE_ANNOUNCE_KEYS_MS: '500',
      DAYCARE_ACCESS_TOKEN_MS: '60000',
      DAYCARE_RATE_PER_SECOND: '100000',
      DAYCARE_RATE_BURST: '100000',
    },
  });
  identity = createRpcClient(IdentityServiceService, { address: stack.addressOf('identity') });
  const graph = createRpcClient(SocialGraphServiceService, {
    address: stack.addressOf('social-graph'),
  });
  const runtime = createRpcClient(AgentRuntimeServiceService, {
    address: stack.addressOf('agent-runtime'),
  });
  const topology = createRpcClient(TopologyServiceService, {
    address: stack.addressOf('topology'),
  });
  closing.push(...[identity, graph, runtime, topology].map((client) => () => client.close()));
  probes = {
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
}, 60_000);
afterAll(async () => {
  closing.forEach((close) => close());
  await stack.stop();
});

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

/** Whether a service believes a token, whatever it then thinks of the request. */
async function believes(service: string, token: string): Promise<boolean> {
  try {
    await probes[service]!(bearer(token));
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(['UNIMPLEMENTED', 'UNAUTHENTICATED']).toContain(error.code);
    return error.code !== 'UNAUTHENTICATED';
  }
}

const believers = async (token: string): Promise<string[]> => {
  const answers = await Promise.all(
    serviceNames.map(async (name) => [name, await believes(name, token)] as const),
  );
  return answers.filter(([, believed]) => believed).map(([name]) => name);
};

describe('key rotation under load', () => {
  it('fails no call, whichever key signed the token', async () => {
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
          expect(await believers(token)).toEqual(serviceNames);
          calls += serviceNames.length;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(tokenOfKey.size).toBe(4);
    expect(calls).toBeGreaterThan(100);
  }, 60_000);
});

describe('revoking', () => {
  it('an access token has every service refuse it within five seconds', async () => {
    const { accessToken } = await signIn(await newUser());
    await expect(believers(accessToken)).resolves.toEqual(serviceNames);
    await identity.revokeToken({ token: accessToken });
    await eventually(async () => (await believers(accessToken)).length === 0, { timeoutMs: 5_000 });
  });

  it('a refresh token ends its whole session', async () => {
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
        (await believers(first.accessToken)).length +
          (await believers(second!.accessToken)).length ===
        0,
      { timeoutMs: 5_000 },
    );
  });
});

describe('refreshing', () => {
  it('gives a new pair for the same user', async () => {
    const first = await signIn(await newUser());
    const { tokens } = await identity.refreshToken({ refreshToken: first.refreshToken });
    expect(tokens!.refreshToken).not.toBe(first.refreshToken);
    await expect(believers(tokens!.accessToken)).resolves.toEqual(serviceNames);
  });

  it('works with an expired or revoked access token at hand', async () => {
    const first = await signIn(await newUser());
    const refresh = { refreshToken: first.refreshToken };
    await expect(identity.refreshToken(refresh, bearer('a.b.c'))).resolves.toBeDefined();
  });

  it('with a token older than the one before ends the session for whoever holds a copy', async () => {
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
    await eventually(async () => (await believers(third!.accessToken)).length === 0, {
      timeoutMs: 5_000,
    });
  });
});

describe('a deleted user', () => {
  it('is believed by nobody and found by nobody, and neither are its subusers', async () => {
    const userId = await newUser();
    const { accessToken, refreshToken } = await signIn(userId);
    const asUser = bearer(accessToken);
    const draft = { requestId: 'helper', name: 'Helper', description: 'helps' };
    const { subuser } = await identity.createSubuser(draft, asUser);
    const ofSubuser = await signIn(subuser!.id);
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
        (await believers(accessToken)).length + (await believers(ofSubuser.accessToken)).length ===
        0,
      { timeoutMs: 5_000 },
    );
  });
});
