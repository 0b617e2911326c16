import { describe, expect, it } from '@jest/globals';
import { Trust } from '@daycare/contracts/common';
import {
  EndpointAuth,
  EndpointMode,
  type Endpoint,
  type TopologyServiceService,
} from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import { makeEndpoints } from '../../peers/endpoints-client';
import { testCredential } from '../../test-support/test-peers';
import { topologyTools } from '../../test-support/topology-tools';
import { endpointTools } from './endpoint-tools';

const { call, outcomeOf } = topologyTools((topology) =>
  endpointTools({ endpoints: makeEndpoints(topology, testCredential) }),
);

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
  it('expose_create calls topology as the agent, with the call’s request id, and returns the password', async () => {
    const seen: unknown[] = [];
    const result = await call(
      {
        async createEndpoint(request, { caller }) {
          seen.push(request, caller);
          return { endpoint, password: 'secret', secret: '' };
        },
      },
      'expose_create',
      { name: 'site', target: 'port:8080', mode: 'public', auth: 'password' },
    );
    expect(result).toEqual({
      summary: 'Endpoint site created',
      ...shown,
      password: 'secret',
      note: expect.stringContaining('give it to your user'),
    });
    expect(seen).toEqual([
      {
        requestId: 'request1',
        name: 'site',
        target: { target: { $case: 'port', value: 8_080 } },
        mode: EndpointMode.PUBLIC,
        auth: EndpointAuth.PASSWORD,
        secret: '',
      },
      { kind: 'user', userId: 'user1', agentId: 'agent1', hops: 1, trust: 'person' },
    ]);
  });

  it('a retried expose_create says how to generate a new password', async () => {
    const result = await call(
      { createEndpoint: async () => ({ endpoint, password: '', secret: '' }) },
      'expose_create',
      { name: 'site', target: 'port:8080', mode: 'public', auth: 'password' },
    );
    expect(result.summary).toContain('generate a new one with expose_update');
    expect(result).not.toHaveProperty('password');
  });

  it('expose_create passes on a given secret, and returns a secret only if one was generated', async () => {
    const seen: unknown[] = [];
    const signed = { ...endpoint, auth: EndpointAuth.STRIPE };
    const make = (secret: string, args: object) =>
      call(
        {
          async createEndpoint(request) {
            seen.push(request.secret);
            return { endpoint: signed, password: '', secret };
          },
        },
        'expose_create',
        { name: 'pay', target: 'agent:a1', mode: 'public', auth: 'stripe', ...args },
      );
    const withGivenSecret = await make('', { secret: 'whsec_0123456789abcdef' });
    expect(withGivenSecret).toMatchObject({ summary: 'Endpoint pay created', auth: 'stripe' });
    const note = expect.stringContaining('The secret cannot be shown again');
    expect(await make('generated', {})).toMatchObject({ secret: 'generated', note });
    expect(await make('', {})).toMatchObject({
      summary: expect.stringContaining('its secret was'),
    });
    expect(seen).toEqual(['whsec_0123456789abcdef', '', '']);
  });

  it.each([
    ['unix:run/web.sock', { $case: 'unixPath', value: 'run/web.sock' }],
    ['agent:a1', { $case: 'agentId', value: 'a1' }],
  ])('expose_create accepts the target %s', async (target, expected) => {
    const seen: unknown[] = [];
    await call(
      {
        async createEndpoint(request) {
          seen.push(request.target?.target);
          return { endpoint, password: '', secret: '' };
        },
      },
      'expose_create',
      { name: 'site', target, mode: 'local_network' },
    );
    expect(seen).toEqual([expected]);
  });

  it.each(['8080', 'port:', 'port:80a', 'port:-1', 'http://x', 'unix:'])(
    'expose_create rejects the target %j',
    async (target) => {
      const refused = call({}, 'expose_create', { name: 'site', target, mode: 'public' });
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    },
  );
});

it('expose_update sends only the fields to change', async () => {
  const seen: unknown[] = [];
  const result = await call(
    {
      async updateEndpoint(request) {
        seen.push(request);
        return { endpoint, password: 'new', secret: '' };
      },
    },
    'expose_update',
    { endpointId: 'e1', rotatePassword: true },
  );
  expect(result).toMatchObject({ summary: 'Endpoint site updated', password: 'new' });
  expect(seen).toEqual([
    {
      requestId: 'request1',
      endpointId: 'e1',
      name: '',
      target: undefined,
      mode: EndpointMode.UNSPECIFIED,
      auth: EndpointAuth.UNSPECIFIED,
      rotatePassword: true,
      secret: '',
    },
  ]);
});

it('expose_list labels its result with the trust of the endpoints’ least trusted author', async () => {
  const byGuest = { ...endpoint, writtenBy: Trust.GUEST };
  const listing = (endpoints: readonly (typeof endpoint)[]) =>
    outcomeOf(
      { listEndpoints: async () => ({ endpoints: [...endpoints], nextPageToken: '' }) },
      'expose_list',
      {},
    );
  expect(await listing([endpoint, byGuest])).toMatchObject({ provenance: 'guest' });
  expect(await listing([endpoint])).not.toHaveProperty('provenance');
});

it('expose_remove deletes an endpoint, and expose_list shows the endpoints that topology returns', async () => {
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
  expect(await call(handlers, 'expose_list', {})).toEqual({ endpoints: [shown], count: 1 });
  expect(seen).toEqual([{ requestId: 'request1', endpointId: 'e1' }]);
});
