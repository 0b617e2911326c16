import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import type { DescMethod } from '@bufbuild/protobuf';
import { accessTables, isPublic, type ServiceName } from '@daycare/contracts/access';
import { eventually } from '@daycare/testing';
import { callAny, registry, type AnyCall } from '../support/gateway/any-call';
import { leastDestructiveFirst, sampleRequest } from '../support/gateway/sample-requests';
import type { AttackerResources, Resources } from '../support/isolation/attempts';
import { WorldBuilder } from '../support/isolation/world';
import { useSharedStack } from '../support/stack/use-stack';

const stack = useSharedStack();
let protocols: Readonly<Record<'Connect' | 'gRPC-Web' | 'gRPC', Transport>>;
const direct = new Map<string, Transport>();
const callers: Record<string, Record<string, string>> = {};

const services: Readonly<Record<string, ServiceName>> = {
  'daycare.identity.v1.IdentityService': 'identity',
  'daycare.social_graph.v1.SocialGraphService': 'social-graph',
  'daycare.agent_runtime.v1.AgentRuntimeService': 'agent-runtime',
  'daycare.topology.v1.TopologyService': 'topology',
};
const rpcs = Object.keys(accessTables).flatMap(
  (typeName) => registry.getService(typeName)!.methods,
);
const isOffered = ({ parent, localName }: DescMethod): boolean =>
  isPublic(accessTables[parent.typeName]?.[localName] ?? []);
const nameOf = ({ parent, name }: DescMethod): string => `${parent.name}.${name}`;
const offered = rpcs.filter(isOffered).map((method) => [nameOf(method), method] as const);
const internal = rpcs.filter((rpc) => !isOffered(rpc)).map((rpc) => [nameOf(rpc), rpc] as const);

beforeAll(async () => {
  const baseUrl = `http://${stack.addressOf('gateway')}`;
  protocols = {
    Connect: createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
    'gRPC-Web': createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    gRPC: createGrpcTransport({ baseUrl }),
  };
  for (const [typeName, service] of Object.entries(services))
    direct.set(typeName, createGrpcTransport({ baseUrl: `http://${stack.addressOf(service)}` }));
  const person = await stack.people.newPerson();
  callers['a user'] = { ...person.as.metadata };
  const { id: subuserId } = await stack.people.clientOf(person).subusers.create({ name: 'Reader' });
  const reader = await stack.people.newAccessToken(person, { subuserId });
  callers['a subuser’s read-only token'] = { authorization: reader.authorization };
  callers['the admin'] = { ...stack.adminMetadata };
  callers['an anonymous caller'] = {};
}, 60_000);

/** Makes a call directly and through the gateway in each protocol; resolves with the outcomes. */
async function outcomesOf(call: AnyCall) {
  const expected = await callAny(direct.get(call.method.parent.typeName)!, call);
  const through = protocolsOf(call.method).map(async ([protocol, transport]) => ({
    protocol,
    outcome: await callAny(transport, call),
  }));
  return { expected, through: await Promise.all(through) };
}

/** A bidirectional stream needs HTTP/2, which only this test's gRPC transport uses. */
function protocolsOf({ methodKind }: DescMethod) {
  const all = Object.entries(protocols);
  return methodKind === 'bidi_streaming' ? all.filter(([name]) => name === 'gRPC') : all;
}

describe('an RPC through the gateway', () => {
  it.each(offered)(
    'every caller of %s gets the same response through the gateway as from the service, in every protocol that can carry the call',
    async (_, rpc) => {
      const compared = Object.entries(callers).map(async ([caller, header]) => {
        const { expected, through } = await outcomesOf({ method: rpc, header });
        for (const { protocol, outcome } of through)
          expect({ caller, protocol, outcome }).toEqual({ caller, protocol, outcome: expected });
      });
      await Promise.all(compared);
    },
  );

  it.each(internal)(
    '%s is internal, and the gateway answers as if it did not exist',
    async (_, rpc) => {
      const path = `/${rpc.parent.typeName}/${rpc.name}`;
      const headers = { ...stack.adminMetadata, 'content-type': 'application/json' };
      const post = async (url: string) => {
        const response = await fetch(`http://${stack.addressOf('gateway')}${url}`, {
          method: 'POST',
          body: '{}',
          headers,
        });
        return [response.status, await response.text()];
      };
      expect(await post(path)).toEqual(await post(`/${rpc.parent.typeName}/NoSuchMethod`));
      const grpc = await callAny(protocols.gRPC, { method: rpc, header: callers['the admin']! });
      expect(grpc).toMatchObject({ code: 'Unimplemented' });
    },
  );
});

describe('a sample request through the gateway', () => {
  const samples = leastDestructiveFirst(offered.map(([, rpc]) => rpc));
  const answered: string[] = [];
  let resources: Resources;
  let own: AttackerResources;
  let owner: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const [ada, bob] = await stack.people.newFriends();
    resources = await new WorldBuilder(stack, ada, 'marzipan').createResources(bob);
    own = { friendNametag: bob.nametag, agentId: resources.agentId };
    owner = { ...ada.as.metadata };
  }, 120_000);

  it.each(samples.map((rpc) => [nameOf(rpc), rpc] as const))(
    'a sample request to %s gets the same response through the gateway as from the service, for the owner and for a stranger',
    async (name, method) => {
      const request = sampleRequest(services[method.parent.typeName]!, method, resources, own);
      for (const header of [callers['a user']!, owner]) {
        // Running turns may change a response, so the comparison is retried. All calls that make a change have the same
        // request id, so the change is made once, and they all get the same response.
        await eventually(async () => {
          const { expected, through } = await outcomesOf({ method, header, request });
          for (const { protocol, outcome } of through)
            expect({ protocol, outcome }).toEqual({ protocol, outcome: expected });
          if (header === owner && 'response' in expected) answered.push(name);
          return true;
        });
      }
    },
    60_000,
  );

  it('most of the owner’s sample requests succeed', () => {
    expect(answered.length).toBeGreaterThan(samples.length / 2);
  });
});
