import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { generateKeyPair } from 'jose';
import {
  basicAuthorization,
  importSigningKey,
  ServiceCredential,
  signAccessToken,
  type Claims,
  type SigningKey,
} from '@daycare/auth';
import type { Role, ServiceName } from '@daycare/contracts/access';
import { descriptorSet } from '@daycare/contracts/descriptors';
import type { IdentityServiceService } from '@daycare/contracts/identity';
import { AppError } from '@daycare/errors';
import { serviceNames } from '@daycare/local-stack';
import { connectMongo } from '@daycare/mongo';
import { createRpcClient, type RpcClient, type ServiceContract } from '@daycare/rpc';
import { startTestStack, type TestStack } from '@daycare/testing';
import { access, contracts, toTheAllowed } from './support/rpcs';

let stack: TestStack;
let clients: Record<ServiceName, RpcClient<ServiceContract>>;
let identity: RpcClient<typeof IdentityServiceService>;
let signing: SigningKey;
const tokens: Record<string, string> = {};
const services: Partial<Record<ServiceName, ServiceCredential>> = {};
let adaId: string;

beforeAll(async () => {
  stack = await startTestStack({
    services: serviceNames,
    env: { DAYCARE_RATE_PER_SECOND: '100000', DAYCARE_RATE_BURST: '100000' },
  });
  const clientOf = (name: ServiceName) =>
    createRpcClient(contracts[name], { address: stack.addressOf(name), timeoutMs: 20_000 });
  clients = {
    identity: clientOf('identity'),
    'social-graph': clientOf('social-graph'),
    'agent-runtime': clientOf('agent-runtime'),
    topology: clientOf('topology'),
  };
  identity = clients.identity as unknown as RpcClient<typeof IdentityServiceService>;
  signing = await loadSigningKey();
  await makeTokens();
}, 60_000);
afterAll(async () => {
  Object.values(clients).forEach((client) => client.close());
  await stack.stop();
});

/** Identity's own key, so that a token can be wrong in one thing only. */
async function loadSigningKey(): Promise<SigningKey> {
  const mongo = await connectMongo({
    url: stack.mongoUrl,
    database: stack.databaseOf('identity'),
    appName: 'access-test',
  });
  const stored = await mongo.db
    .collection<{ _id: string; privateJwk: object }>('signing_keys')
    .findOne({});
  await mongo.close();
  return importSigningKey(stored!._id, stored!.privateJwk);
}

async function makeTokens(): Promise<void> {
  const admin = { metadata: stack.adminMetadata };
  const { user } = await identity.createUser({ requestId: 'ada', name: 'Ada' }, admin);
  adaId = user!.id;
  tokens['user'] = await issueFor(adaId);
  const asAda = { metadata: { authorization: tokens['user'] } };
  const { subuser } = await identity.createSubuser(
    { requestId: 'sub', name: 'Helper', description: '' },
    asAda,
  );
  tokens['subuser'] = await issueFor(subuser!.id);
  tokens['admin'] = await issueFor('');
  tokens['agent'] = await issueFor(adaId, 'someagent');
  for (const service of ['social-graph', 'agent-runtime', 'topology'] as const) {
    services[service] = await startCredential(service);
  }
  const claims: Claims = {
    kind: 'user',
    userId: adaId,
    sessionId: createId(),
    tokenId: createId(),
    expiresAt: Math.floor(Date.now() / 1000) + 600,
  };
  const longAgo = new Date(Date.now() - 3_600_000);
  const expired = { ...claims, expiresAt: Math.floor(longAgo.getTime() / 1000) + 60 };
  tokens['expired'] = `Bearer ${await signAccessToken(expired, signing, longAgo)}`;
  const { privateKey } = await generateKeyPair('EdDSA');
  const stranger = { id: signing.id, privateKey };
  tokens['unknown key'] = `Bearer ${await signAccessToken(claims, stranger, new Date())}`;
  const valid = await signAccessToken(claims, signing, new Date());
  const [, payload] = valid.split('.');
  const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  tokens['alg none'] = `Bearer ${header}.${payload!}.`;
}

async function issueFor(userId: string, agentId = ''): Promise<string> {
  const request = { userId, agentId, publicKeyJwk: '' };
  const { tokens: pair } = await identity.issueToken(request, { metadata: stack.adminMetadata });
  return `Bearer ${pair!.accessToken}`;
}

/** A service's credential as the service itself would have it. */
async function startCredential(service: 'social-graph' | 'agent-runtime' | 'topology') {
  const authorization = basicAuthorization(service, stack.credentials.services[service]);
  const credential = await ServiceCredential.create({
    service,
    onFailure: (error) => {
      throw error;
    },
    requestToken: async (publicKey) => {
      const request = { userId: '', agentId: '', publicKeyJwk: JSON.stringify(publicKey) };
      const { tokens: pair } = await identity.issueToken(request, { metadata: { authorization } });
      return { token: pair!.accessToken, expiresAt: pair!.accessExpiresAt! };
    },
  });
  await credential.start();
  credential.stop();
  return credential;
}

/** What a caller in a role sends along with a call to a service. */
async function metadataOf(role: string, callee: ServiceName): Promise<Record<string, string>> {
  const service = role.startsWith('service:')
    ? (role.slice('service:'.length) as ServiceName)
    : undefined;
  if (service) return services[service]!.metadata(callee);
  return tokens[role] === undefined ? {} : { authorization: tokens[role] };
}

/** Makes a call with nothing in it and tells how it ended. */
async function statusOf(
  service: ServiceName,
  method: string,
  metadata: Record<string, string>,
): Promise<string> {
  const definition = contracts[service][method]!;
  async function* nothing(): AsyncIterable<never> {
    // An upload without a part.
  }
  const empty = definition.requestStream
    ? nothing()
    : definition.requestDeserialize(Buffer.alloc(0));
  try {
    const answer = (clients[service][method] as (request: unknown, options: object) => unknown)(
      empty,
      { metadata },
    );
    if (definition.responseStream) for await (const _ of answer as AsyncIterable<unknown>) break;
    else await (answer as Promise<unknown>);
    return 'OK';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

const rpcs = serviceNames.flatMap((service) =>
  Object.keys(contracts[service]).map((method) => ({
    service,
    method,
    roles: access[service][method] ?? [],
  })),
);
const closed = rpcs.filter(({ roles }) => !roles.includes('anyone'));

describe('the access table', () => {
  it('has an entry, and this walk an expectation, for every RPC in proto/', () => {
    const inProto = descriptorSet()
      .file.filter((file) => file.package.startsWith('daycare.'))
      .flatMap((file) =>
        file.service.flatMap((service) => service.method.map(({ name }) => name.toLowerCase())),
      )
      .sort();
    const walked = rpcs.map(({ method }) => method.toLowerCase()).sort();
    expect(walked).toEqual(inProto);
    expect(rpcs.filter(({ roles }) => roles.length === 0)).toEqual([]);
    expect(rpcs.filter(({ service, method }) => !toTheAllowed[service][method])).toEqual([]);
  });
});

describe.each(closed)('$service $method', ({ service, method, roles }) => {
  const heard = toTheAllowed[service][method]!;
  /** A person is a user without an agent; an agent is whatever its user is. */
  const rolesOf = (caller: string): string[] => {
    if (caller === 'user') return ['user', 'person'];
    if (caller === 'agent') return ['user'];
    return caller.startsWith('service:') ? [caller, 'service'] : [caller];
  };
  const expectedFor = (caller: string): string => {
    const isOpen = rolesOf(caller).some((role) => roles.includes(role as Role));
    if (!isOpen) return 'PERMISSION_DENIED';
    return method === 'deleteUser' && caller === 'admin' ? 'INVALID_ARGUMENT' : heard;
  };

  it('is UNAUTHENTICATED to nobody and to every token that does not hold', async () => {
    const agentRuntime = await services['agent-runtime']!.metadata(service);
    const elsewhere = await services['agent-runtime']!.metadata('somewhere-else');
    const wrong: Record<string, string>[] = [
      {},
      { authorization: tokens['expired']! },
      { authorization: tokens['unknown key']! },
      { authorization: tokens['alg none']! },
      { authorization: 'Bearer' },
      { authorization: 'Bearer x.y.z' },
      { authorization: 'Basic YWRtaW46d3Jvbmc=' },
      // The token of a service without the proof that it is ours, with that of another call, and the
      // proof without the token.
      { authorization: agentRuntime['authorization']! },
      { ...agentRuntime, 'daycare-context': elsewhere['daycare-context']! },
      { 'daycare-context': agentRuntime['daycare-context']! },
      { ...agentRuntime, authorization: tokens['user']! },
    ];
    const answers = await Promise.all(wrong.map((metadata) => statusOf(service, method, metadata)));
    expect(new Set(answers)).toEqual(new Set(['UNAUTHENTICATED']));
  });

  it('is open to whom the table names and to nobody else', async () => {
    const callers = [
      'user',
      'agent',
      'subuser',
      'admin',
      'service:social-graph',
      'service:agent-runtime',
      'service:topology',
    ];
    const answers = await Promise.all(
      callers.map(async (role) => {
        const metadata = await metadataOf(role, service);
        return [role, await statusOf(service, method, metadata)] as const;
      }),
    );
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(callers.map((role) => [role, expectedFor(role)])),
    );
  });
});

describe.each(rpcs.filter(({ roles }) => roles.includes('anyone')))(
  '$service $method, open to anyone',
  ({ service, method }) => {
    it.each([undefined, 'expired', 'unknown key', 'alg none', 'user', 'subuser'])(
      'answers %p',
      async (who) => {
        const metadata = who === undefined ? {} : await metadataOf(who, service);
        await expect(statusOf(service, method, metadata)).resolves.toBe(
          toTheAllowed[service][method],
        );
      },
    );
  },
);

describe('what belongs to another user', () => {
  /** The whole answer as it is on the wire. */
  async function failureOf(call: Promise<unknown>): Promise<unknown> {
    const error = (await call.catch((thrown: unknown) => thrown)) as AppError;
    const { code, details, metadata } = error.cause as {
      code: number;
      details: string;
      metadata: { get(key: string): Buffer[] };
    };
    return { code, details, bytes: metadata.get('grpc-status-details-bin')[0]!.toString('base64') };
  }

  it('is answered byte for byte as what does not exist', async () => {
    const admin = { metadata: stack.adminMetadata };
    const { user: eve } = await identity.createUser({ requestId: 'eve', name: 'Eve' }, admin);
    const asEve = { metadata: { authorization: await issueFor(eve!.id) } };
    const { subusers } = await identity.listSubusers(
      { pageSize: 0, pageToken: '' },
      { metadata: { authorization: tokens['user']! } },
    );
    const subuserId = subusers[0]!.id;
    const absentId = createId();
    const attempts = {
      'get a user': (userId: string) => identity.getUser({ userId }, asEve),
      'rename a subuser': (id: string) =>
        identity.renameSubuser({ requestId: 'r', subuserId: id, name: 'Mine' }, asEve),
      'delete a subuser': (id: string) =>
        identity.deleteSubuser({ requestId: 'r', subuserId: id }, asEve),
      'delete a user': (userId: string) => identity.deleteUser({ requestId: 'r', userId }, asEve),
    };
    for (const attempt of Object.values(attempts)) {
      for (const foreignId of [adaId, subuserId]) {
        await expect(failureOf(attempt(foreignId))).resolves.toEqual(
          await failureOf(attempt(absentId)),
        );
      }
    }
  });
});
