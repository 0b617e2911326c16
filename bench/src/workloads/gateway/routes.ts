import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { createFileRegistry } from '@bufbuild/protobuf';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { descriptorSet } from '@daycare/contracts/descriptors';
import { IdentityServiceService } from '@daycare/contracts/identity';
import type { AppName } from '@daycare/local-stack';
import { createRpcClient, type CallOptions } from '@daycare/rpc';
import type { BenchStack } from '../../kit/bench-stack';
import type { ConversationCalls } from '../agent-runtime/conversation';

/** The calls that each route makes, so that the routes can be compared. */
export interface RouteCalls {
  readonly getUser: (userId: string) => Promise<string | undefined>;
  readonly conversation: ConversationCalls;
  readonly close: () => void;
}

/** One way to reach the services. */
export interface Route {
  readonly name: string;
  readonly open: (stack: BenchStack) => RouteCalls;
}

const timeoutMs = 20_000;

function openGrpc(stack: BenchStack, addressOf: (service: AppName) => string): RouteCalls {
  const metadata = stack.adminMetadata;
  const identity = createRpcClient(IdentityServiceService, {
    address: addressOf('identity'),
    metadata,
    timeoutMs,
  });
  const address = addressOf('agent-runtime');
  const runtime = createRpcClient(AgentRuntimeServiceService, { address, timeoutMs });
  return {
    getUser: async (userId) => (await identity.getUser({ userId })).user?.id,
    conversation: runtime,
    close: () => [identity, runtime].forEach((client) => client.close()),
  };
}

const registry = createFileRegistry(descriptorSet());

/** A client whose types come from descriptors at run time. */
type AnyClient = Record<string, (request: object, options: object) => unknown>;

function clientOf(transport: Transport, typeName: string): AnyClient {
  const service = registry.getService(typeName);
  if (!service) throw new Error(`the descriptors contain no service ${typeName}`);
  return createClient(service, transport);
}

interface JsonEvent {
  readonly event: {
    readonly case?: string;
    readonly value?: { readonly record?: { readonly case?: string; readonly value?: object } };
  };
}

/** Makes the calls over HTTP/1.1, which curl, browsers behind proxies and most programs use. */
function openHttp1(stack: BenchStack, transportTo: (baseUrl: string) => Transport): RouteCalls {
  const transport = transportTo(`http://${stack.addressOf('gateway')}`);
  const identity = clientOf(transport, 'daycare.identity.v1.IdentityService');
  const runtime = clientOf(transport, 'daycare.agent_runtime.v1.AgentRuntimeService');
  const admin = { headers: stack.adminMetadata, timeoutMs };
  const optionsOf = ({ metadata, signal }: CallOptions = {}) => ({ headers: metadata, signal });
  const conversation = {
    postMessage: (request: object, as?: CallOptions) =>
      runtime['postMessage']?.(request, { ...optionsOf(as), timeoutMs }),
    async *watchAgent(request: object, as?: CallOptions) {
      const events = runtime['watchAgent']?.(request, optionsOf(as)) as AsyncIterable<JsonEvent>;
      for await (const { event } of events) {
        const { case: $case, value: record } = event.value?.record ?? {};
        yield { event: { $case: event.case, value: { record: { $case, value: record } } } };
      }
    },
  } as unknown as ConversationCalls;
  return {
    getUser: async (userId) =>
      ((await identity['getUser']?.({ userId }, admin)) as { user?: { id: string } }).user?.id,
    conversation,
    close: () => undefined,
  };
}

const httpVersion = '1.1';

/** The routes to the services themselves, and through the gateway in three protocols. */
export const routes: readonly Route[] = [
  { name: 'direct', open: (stack) => openGrpc(stack, (service) => stack.addressOf(service)) },
  { name: 'gRPC', open: (stack) => openGrpc(stack, () => stack.addressOf('gateway')) },
  {
    name: 'gRPC-Web',
    open: (stack) =>
      openHttp1(stack, (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion })),
  },
  {
    name: 'Connect JSON',
    open: (stack) =>
      openHttp1(stack, (baseUrl) =>
        createConnectTransport({ baseUrl, httpVersion, useBinaryFormat: false }),
      ),
  },
];
