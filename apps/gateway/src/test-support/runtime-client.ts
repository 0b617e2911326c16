import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { serviceOf } from '../rpc/public-services';
import type { TestGateway } from './test-gateway';

type AnyClient = Record<
  string,
  (request: object, options?: object) => Promise<object> & AsyncIterable<object>
>;

/** Returns a client that calls agent-runtime through a gateway, over gRPC or over Connect on HTTP/1.1. */
export function runtimeClient({ url: baseUrl }: TestGateway, kind: 'grpc' | 'connect'): AnyClient {
  const transport =
    kind === 'grpc'
      ? createGrpcTransport({ baseUrl })
      : createConnectTransport({ baseUrl, httpVersion: '1.1' });
  return createClient(serviceOf('daycare.agent_runtime.v1.AgentRuntimeService'), transport);
}
