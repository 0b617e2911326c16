import type { DescMethod } from '@bufbuild/protobuf';
import { headerOf } from '../http/gateway-request';
import type { Route } from '../http/start-gateway';
import { buildRouter, maxRequestBytes, type RouterDeps } from '../rpc/build-router';
import { callHandler } from './call-handler';
import { connectHeaders, isConnectUnary, makeConnectCall } from './connect-call';
import { Exchange } from './exchange';
import { makeGrpcCall, type WireDeps } from './grpc-call';
import { grpcFormats, grpcHeaders } from './grpc-formats';

export type RpcsDeps = RouterDeps & Pick<WireDeps, 'floodGuard'>;

/**
 * Builds the routes of all public RPCs, by path. Calls in the formats that most clients use are handled here. The
 * others (Connect streams and GET requests, gRPC with JSON or over HTTP/1.1, health checks, and calls with an unknown
 * content type) go to the Connect library's handlers.
 */
export function buildRpcs({
  upstreams,
  observe,
  isServing,
  stopping,
  floodGuard,
}: RpcsDeps): ReadonlyMap<string, Route> {
  const rpcs = new Map<string, Route>();
  for (const [path, handler] of buildRouter({ upstreams, observe, isServing, stopping })) {
    const { method } = handler;
    const upstream = upstreams.find(({ service }) => service === method.parent);
    const route = callHandler(handler);
    const limit = maxRequestBytes(method);
    const deps = upstream && { upstream, observe, stopping, floodGuard, maxRequestBytes: limit };
    rpcs.set(path, deps ? handleDirectly(method, deps, route) : route);
  }
  return rpcs;
}

function handleDirectly(method: DescMethod, deps: WireDeps, otherwise: Route): Route {
  const grpc = makeGrpcCall(method, deps);
  const connect = method.methodKind === 'unary' ? makeConnectCall(method, deps) : undefined;
  const isDuplex = method.methodKind === 'bidi_streaming';
  return (request, response, origin) => {
    const contentType = headerOf(request, 'content-type');
    const isHttp1 = request.httpVersionMajor < 2;
    if (request.method !== 'POST' || (isDuplex && isHttp1))
      return otherwise(request, response, origin);
    const format = grpcFormats.get(contentType);
    if (format && !(format.needsHttp2 && isHttp1))
      return grpc(new Exchange(request, response, origin, grpcHeaders), format);
    if (connect && isConnectUnary(contentType))
      return connect(new Exchange(request, response, origin, connectHeaders), contentType);
    return otherwise(request, response, origin);
  };
}
