import { describe, expect, it } from '@jest/globals';
import {
  MethodOptions_IdempotencyLevel as Level,
  type DescriptorProto,
  type MethodDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { descriptorSet } from './descriptors';
import { retryableMethods } from './retryable-methods';

interface Rpc {
  readonly name: string;
  readonly method: MethodDescriptorProto;
  readonly request: DescriptorProto;
}

const files = descriptorSet().file.filter((file) => file.package.startsWith('daycare.'));
const messages = new Map(
  files.flatMap((file) => file.messageType.map((type) => [`.${file.package}.${type.name}`, type])),
);
const rpcs: Rpc[] = files.flatMap((file) =>
  file.service.flatMap((service) =>
    service.method.map((method) => ({
      name: `${file.package}.${service.name}/${method.name}`,
      method,
      request: messages.get(method.inputType)!,
    })),
  ),
);

/** RPCs that change something but need no request id, because something else makes retrying them harmless. */
const changesWithoutRequestId = new Set([
  'IssueToken',
  'RefreshToken', // a refresh token is good for one exchange
  'RevokeToken', // revoking a token again changes nothing
  ...['RevokeSessions', 'RevokeAccessToken'], // the same applies to these
  'ExchangeAccessToken', // a secret is good for any number of exchanges
  ...['CreateSignInCode', 'BeginSignIn'], // a code or sign-in that the client never receives expires unused
  ...['ExchangeSignInCode', 'CompleteSignIn'], // each code or sign-in can be used only once
  'TestModel', // a retry only runs another test
  'MarkWired', // marking an agent again changes nothing
  ...['DeliverAgentMessage', 'ForwardAgentMessage'], // the message has an id
]);

/** List RPCs whose longest possible list fits into one response. */
const boundedLists = new Set([
  'ListTools',
  'ListSkills',
  'ListBudgets',
  'ListModels',
  'ListModelProviders',
  'ListAccessTokens',
  'ListSignInProviders',
  // The number of shards is fixed, and at most a thousand stuck agents are listed.
  'ListShards',
  'ListStuckAgents',
]);

const isRead = ({ method }: Rpc): boolean =>
  method.options?.idempotencyLevel === Level.NO_SIDE_EFFECTS || method.serverStreaming;
const fieldNames = ({ request }: Rpc): string[] => request.field.map(({ name }) => name);

describe('in the contracts', () => {
  it('the four services are defined', () => {
    const services = files.flatMap((file) => file.service.map(({ name }) => name));
    expect(services.sort()).toEqual([
      'AgentRuntimeService',
      'IdentityService',
      'SocialGraphService',
      'TopologyService',
    ]);
  });

  it('every RPC that changes something has a request id, unless retrying it is harmless', () => {
    const changes = rpcs.filter((rpc) => !isRead(rpc) && !rpc.method.clientStreaming);
    const unguarded = changes.filter(
      (rpc) =>
        !changesWithoutRequestId.has(rpc.method.name) && !fieldNames(rpc).includes('request_id'),
    );
    expect(unguarded.map(({ name }) => name)).toEqual([]);
  });

  it('every List RPC without a bounded list is paged', () => {
    const lists = rpcs.filter(
      ({ method }) => method.name.startsWith('List') && !boundedLists.has(method.name),
    );
    const unpaged = lists.filter((rpc) => !fieldNames(rpc).includes('page_token'));
    expect(unpaged.map(({ name }) => name)).toEqual([]);
  });

  it('no request names its caller in a field', () => {
    const suspicious = /^(caller|sender|actor|from|as)_(user_)?id$/;
    const namingCaller = rpcs.filter((rpc) =>
      fieldNames(rpc).some((name) => suspicious.test(name)),
    );
    expect(namingCaller.map(({ name }) => name)).toEqual([]);
  });

  it('retryableMethods lists exactly the RPCs that the contracts mark as retryable', () => {
    const retryable = retryableMethods('daycare.identity.v1.IdentityService');
    expect(retryable).toContain('CreateUser');
    expect(retryable).toContain('GetUser');
    expect(retryable).not.toContain('RefreshToken');
    const marked = rpcs.filter(({ method }) => method.options?.idempotencyLevel);
    const listed = files.flatMap((file) =>
      file.service.flatMap(({ name }) => {
        const service = `${file.package}.${name}`;
        return retryableMethods(service).map((method) => `${service}/${method}`);
      }),
    );
    expect(listed).toEqual(marked.map(({ name }) => name));
  });

  it('retryableMethods throws for a service that proto/ does not define', () => {
    expect(() => retryableMethods('daycare.nowhere.v1.Nowhere')).toThrow('no service');
  });
});
