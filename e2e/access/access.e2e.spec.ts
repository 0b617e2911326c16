import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Role, ServiceName } from '@daycare/contracts/access';
import { descriptorSet } from '@daycare/contracts/descriptors';
import { AppError } from '@daycare/api';
import { serviceNames } from '@daycare/local-stack';
import { createRpcClient, type RpcClient, type ServiceContract } from '@daycare/rpc';
import { useSharedStack } from '../support/stack/use-stack';
import { createCallers, personalTokens, type Callers } from '../support/isolation/callers';
import { access, contracts, scopes, allowedStatus } from '../support/isolation/rpcs';
import { wireAnswer } from '../support/wire/wire-answer';

const stack = useSharedStack();
const { identity, people } = stack;
let clients: Record<ServiceName, RpcClient<ServiceContract>>;
let callers: Callers;

beforeAll(async () => {
  const clientOf = (name: ServiceName) =>
    createRpcClient(contracts[name], { address: stack.addressOf(name), timeoutMs: 20_000 });
  clients = {
    identity: clientOf('identity'),
    'social-graph': clientOf('social-graph'),
    'agent-runtime': clientOf('agent-runtime'),
    topology: clientOf('topology'),
  };
  callers = await createCallers(stack);
});
afterAll(() => Object.values(clients).forEach((client) => client.close()));

/** Returns the metadata that a caller with this role sends with this call. */
async function metadataOf(
  role: string,
  callee: ServiceName,
  method: string,
): Promise<Record<string, string>> {
  const { tokens, services } = callers;
  const service = role.startsWith('service:')
    ? (role.slice('service:'.length) as ServiceName)
    : undefined;
  if (service) return services[service]!.metadata(callee)(pathOf(callee, method));
  return tokens[role] === undefined ? {} : { authorization: tokens[role] };
}

const pathOf = (service: ServiceName, method: string): string => contracts[service][method]!.path;

/** Makes a call with an empty request; resolves with the call's status. */
async function statusOf(
  service: ServiceName,
  method: string,
  metadata: Record<string, string>,
): Promise<string> {
  const definition = contracts[service][method]!;
  async function* nothing(): AsyncIterable<never> {
    // A request stream without messages.
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
  it('the access table and this test both cover every RPC in proto/', () => {
    const inProto = descriptorSet()
      .file.filter((file) => file.package.startsWith('daycare.'))
      .flatMap((file) =>
        file.service.flatMap((service) => service.method.map(({ name }) => name.toLowerCase())),
      )
      .sort();
    const walked = rpcs.map(({ method }) => method.toLowerCase()).sort();
    expect(walked).toEqual(inProto);
    expect(rpcs.filter(({ roles }) => roles.length === 0)).toEqual([]);
    expect(rpcs.filter(({ service, method }) => !allowedStatus[service][method])).toEqual([]);
  });
});

/** Calls that an operator can make only for a named user; without a user id they fail with INVALID_ARGUMENT. */
const mustNameUser: ReadonlySet<string> = new Set([
  'deleteUser',
  'updateUser',
  'createSignInCode',
  'getUsage',
  'listBudgets',
]);

/** The methods that admitted the read-only token for a subuser. */
const methodsOpenToReader: string[] = [];

describe.each(closed)('$service $method', ({ service, method, roles }) => {
  const admittedStatus = allowedStatus[service][method]!;
  /** An agent's token has the role user, but not the role person, which is reserved for tokens without an agent. */
  const rolesOf = (caller: string): string[] => {
    if (caller === 'user') return ['user', 'person'];
    if (caller === 'agent') return ['user'];
    const token = personalTokens[caller];
    if (token) return rolesOf(token.as);
    return caller.startsWith('service:') ? [caller, 'service'] : [caller];
  };
  /**
   * An operator's access token has one scope that allows everything. A call whose rule is `none` requires a sign-in, so
   * no personal access token may make it.
   */
  const hasScope = (caller: string): boolean => {
    const token = personalTokens[caller];
    const rule = scopes[service][method]!;
    if (!token) return true;
    if (rule === 'none') return false;
    return rule === 'any' || token.as === 'admin' || token.scopes.includes(rule);
  };
  const expectedFor = (caller: string): string => {
    const isOpen = rolesOf(caller).some((role) => roles.includes(role as Role));
    // A client may resolve only keys of its own connector, and an empty request names no connector.
    const isForeign = caller === 'client' && method === 'resolveConnectorKey';
    if (!isOpen || isForeign || !hasScope(caller)) return 'PERMISSION_DENIED';
    return mustNameUser.has(method) && rolesOf(caller).includes('admin')
      ? 'INVALID_ARGUMENT'
      : admittedStatus;
  };

  it('an RPC with restricted access rejects a missing token and every invalid one with UNAUTHENTICATED', async () => {
    const { tokens, services } = callers;
    const credential = services['agent-runtime']!;
    const path = pathOf(service, method);
    const agentRuntime = await credential.metadata(service)(path);
    const elsewhere = await credential.metadata('somewhere-else')(path);
    const otherMethod = await credential.metadata(service)(`${path}Twice`);
    const invalidMetadata: Record<string, string>[] = [
      {},
      { authorization: tokens['expired']! },
      { authorization: tokens['unknown key']! },
      { authorization: tokens['alg none']! },
      { authorization: 'Bearer' },
      { authorization: 'Bearer x.y.z' },
      { authorization: 'Basic YWRtaW46d3Jvbmc=' },
      // A service's token without its proof of possession, and with the proof for another service or method;
      // then the proof without a token, and with a user's token.
      { authorization: agentRuntime['authorization']! },
      { ...agentRuntime, 'daycare-context': elsewhere['daycare-context']! },
      otherMethod,
      { 'daycare-context': agentRuntime['daycare-context']! },
      { ...agentRuntime, authorization: tokens['user']! },
    ];
    const answers = await Promise.all(
      invalidMetadata.map((metadata) => statusOf(service, method, metadata)),
    );
    expect(new Set(answers)).toEqual(new Set(['UNAUTHENTICATED']));
  });

  it('an RPC with restricted access admits the callers in the access table and no others', async () => {
    const everyone = [
      'user',
      'agent',
      'subuser',
      'client',
      'admin',
      'service:social-graph',
      'service:agent-runtime',
      'service:topology',
      ...Object.keys(personalTokens),
    ];
    const answers = await Promise.all(
      everyone.map(async (role) => {
        const metadata = await metadataOf(role, service, method);
        return [role, await statusOf(service, method, metadata)] as const;
      }),
    );
    const [, readerStatus] = answers.find(([role]) => role === 'read-only token for a subuser')!;
    if (readerStatus !== 'PERMISSION_DENIED') methodsOpenToReader.push(method);
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(everyone.map((role) => [role, expectedFor(role)])),
    );
  });
});

describe('read-only personal access tokens', () => {
  it('a token with the scope agents:read, bound to a subuser, can read the subuser’s data but do nothing else', () => {
    expect(methodsOpenToReader.sort()).toEqual(
      [
        ...['getUser', 'watchAgent', 'getAgent', 'listAgents', 'listHistory', 'exportAgent'],
        ...['listPermissionRequests', 'listGrants', 'listTools', 'listDeadLetters'],
        ...['downloadFile', 'listFiles', 'listCrons', 'getCron', 'listHeartbeats'],
        ...['getUsage', 'listBudgets', 'getModel', 'listModels'],
        ...['getTopology', 'watchTopology', 'listSignals', 'listChannelMessages', 'listEndpoints'],
      ].sort(),
    );
  });
});

describe.each(rpcs.filter(({ roles }) => roles.includes('anyone')))(
  '$service $method',
  ({ service, method }) => {
    it.each([
      ['no token', undefined],
      ['an expired token', 'expired'],
      ['a token signed with an unknown key', 'unknown key'],
      ['an unsigned token', 'alg none'],
      ['a user’s token', 'user'],
      ['a subuser’s token', 'subuser'],
    ] as const)('an RPC that is open to anyone answers a caller with %s', async (_, who) => {
      const metadata = who === undefined ? {} : await metadataOf(who, service, method);
      await expect(statusOf(service, method, metadata)).resolves.toBe(
        allowedStatus[service][method],
      );
    });
  },
);

describe('another user’s data', () => {
  it('calls for another user’s data get the same response, byte for byte, as calls for data that does not exist', async () => {
    const { as: asEve } = await people.newPerson();
    const { subusers } = await identity.listSubusers(
      { pageSize: 0, pageToken: '' },
      { metadata: { authorization: callers.tokens['user']! } },
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
      for (const foreignId of [callers.adaId, subuserId]) {
        expect(await wireAnswer(attempt(foreignId))).toEqual(await wireAnswer(attempt(absentId)));
      }
    }
  });
});
