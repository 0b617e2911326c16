import { afterEach, describe, expect, it } from '@jest/globals';
import {
  EndpointAuth,
  EndpointMode,
  type Endpoint,
  type TopologyServiceService,
} from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import { makeEndpoints } from '../rpc/endpoints-client';
import { testAgent, testContext } from '../test-support/test-agent';
import { startTestPeers, testCredential, type TestPeers } from '../test-support/test-peers';
import { makeTools, type ToolDeps } from './index';
import { ToolRegistry } from './tool-registry';

let peers: TestPeers;
afterEach(() => peers.close());

/** Calls a tool in front of a topology that answers so. */
async function call(handlers: Handlers<typeof TopologyServiceService>, name: string, args: object) {
  peers = await startTestPeers({ topology: handlers });
  const endpoints = makeEndpoints(peers.topology, testCredential);
  // The other tools are not called here.
  const tools = new ToolRegistry(makeTools({ endpoints } as ToolDeps));
  const outcome = await tools.call(name, JSON.stringify(args), testContext(testAgent()));
  return JSON.parse(outcome.resultJson);
}

const endpoint: Endpoint = {
  id: 'e1',
  name: 'site',
  target: { target: { $case: 'port', value: 8_080 } },
  mode: EndpointMode.PUBLIC,
  auth: EndpointAuth.PASSWORD,
  url: 'http://edge/e/e1/',
};
const shown = {
  endpointId: 'e1',
  name: 'site',
  target: 'port:8080',
  mode: 'public',
  auth: 'password',
  url: 'http://edge/e/e1/',
};

describe('expose_create', () => {
  it('asks as the agent, with its key, and shows the password to be told', async () => {
    const seen: unknown[] = [];
    const answer = await call(
      {
        async createEndpoint(request, { caller }) {
          seen.push(request, caller);
          return { endpoint, password: 'secret' };
        },
      },
      'expose_create',
      { name: 'site', target: 'port:8080', mode: 'public', auth: 'password' },
    );
    expect(answer).toEqual({
      summary: 'Endpoint site created',
      ...shown,
      password: 'secret',
      note: expect.stringContaining('tell your user'),
    });
    expect(seen).toEqual([
      {
        requestId: 'request1',
        name: 'site',
        target: { target: { $case: 'port', value: 8_080 } },
        mode: EndpointMode.PUBLIC,
        auth: EndpointAuth.PASSWORD,
      },
      { kind: 'user', userId: 'user1', agentId: 'agent1', hops: 1 },
    ]);
  });

  it('that is repeated says how to get a password that can be told', async () => {
    const answer = await call(
      { createEndpoint: async () => ({ endpoint, password: '' }) },
      'expose_create',
      { name: 'site', target: 'port:8080', mode: 'public', auth: 'password' },
    );
    expect(answer.summary).toContain('draw a new one with expose_update');
    expect(answer).not.toHaveProperty('password');
  });

  it.each([
    ['unix:run/web.sock', { $case: 'unixPath', value: 'run/web.sock' }],
    ['agent:a1', { $case: 'agentId', value: 'a1' }],
  ])('reads %s', async (target, expected) => {
    const seen: unknown[] = [];
    await call(
      {
        async createEndpoint(request) {
          seen.push(request.target?.target);
          return { endpoint, password: '' };
        },
      },
      'expose_create',
      { name: 'site', target, mode: 'local_network' },
    );
    expect(seen).toEqual([expected]);
  });

  it.each(['8080', 'port:', 'port:80a', 'port:-1', 'http://x', 'unix:'])(
    'refuses the target %j',
    async (target) => {
      const refused = call({}, 'expose_create', { name: 'site', target, mode: 'public' });
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    },
  );
});

it('expose_update changes what it names', async () => {
  const seen: unknown[] = [];
  const answer = await call(
    {
      async updateEndpoint(request) {
        seen.push(request);
        return { endpoint, password: 'new' };
      },
    },
    'expose_update',
    { endpointId: 'e1', rotatePassword: true },
  );
  expect(answer).toMatchObject({ summary: 'Endpoint site changed', password: 'new' });
  expect(seen).toEqual([
    {
      requestId: 'request1',
      endpointId: 'e1',
      name: '',
      target: undefined,
      mode: EndpointMode.UNSPECIFIED,
      auth: EndpointAuth.UNSPECIFIED,
      rotatePassword: true,
    },
  ]);
});

it('expose_remove takes one away, and expose_list shows the rest', async () => {
  const seen: unknown[] = [];
  const handlers: Handlers<typeof TopologyServiceService> = {
    async deleteEndpoint(request) {
      seen.push(request);
      return {};
    },
    listEndpoints: async () => ({ endpoints: [endpoint], nextPageToken: '' }),
  };
  expect(await call(handlers, 'expose_remove', { endpointId: 'e1' })).toMatchObject({
    endpointId: 'e1',
  });
  await peers.close();
  expect(await call(handlers, 'expose_list', {})).toEqual({ endpoints: [shown], count: 1 });
  expect(seen).toEqual([{ requestId: 'request1', endpointId: 'e1' }]);
});
