import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Role } from '@daycare/contracts/access';
import { limitsOf, type MethodLimits } from '@daycare/contracts/method-limits';
import type { AccessRules, ScopeRule } from '@daycare/contracts/scopes';
import { AppError } from '@daycare/api';
import type { CallContext } from '../shared/call-context';
import { serializeOnce } from '../shared/encoded-response';
import { bindRpc, type BoundRpc, type CallPipeline } from './call-pipeline';
import { sessionIdOf } from './limits/rate-limiter';
import { assertSize, deserializeUpTo } from './limits/request-size';
import { readRequests } from './streams/read-requests';
import { ResponseStream } from './streams/response-stream';
import { sendAhead } from './streams/send-ahead';
import { wholeRequest } from './streams/whole-request';
import { ServerCall, type Respond } from './server-call';
import {
  asGrpcMethod,
  type Handlers,
  type MethodShape,
  type ServiceContract,
} from '../shared/service-types';
import { toGrpcStatus } from '../shared/status-details';

type AnyHandler = (request: unknown, context: CallContext) => unknown;

/** A service ready to be added to a server. */
export interface ServiceImplementation {
  readonly name: string;
  bind(pipeline: CallPipeline): {
    definition: ServiceDefinition;
    implementation: UntypedServiceImplementation;
  };
}

/**
 * Combines a contract with its access rules and handlers. Every RPC in the contract is served: calls to those without a
 * handler pass through the same pipeline as all others and then fail with UNIMPLEMENTED. Callers that the access table
 * does not name are refused.
 */
export function implementService<S extends ServiceContract>(
  name: string,
  contract: S,
  rules: AccessRules<NoInfer<S>>,
  handlers: Handlers<S>,
): ServiceImplementation {
  return {
    name,
    bind(pipeline) {
      const definition: Record<string, ReturnType<typeof asGrpcMethod>> = {};
      const implementation: Record<string, ReturnType<typeof adapt>> = {};
      for (const [key, method] of Object.entries(contract)) {
        const handler = (handlers[key] as AnyHandler | undefined) ?? unimplemented(method);
        const roles = rules.roles[key] ?? [];
        const scope = rules.scopes[key] ?? 'none';
        const limits = limitsOf(method.path, roles);
        definition[key] = {
          ...asGrpcMethod(method),
          ...(!method.requestStream && {
            requestDeserialize: deserializeUpTo(limits.maxRequestBytes, method.requestDeserialize),
          }),
          responseSerialize: serializeOnce(method.responseSerialize),
        };
        implementation[key] = adapt(pipeline, { method, roles, scope, limits, handler });
      }
      return { definition, implementation };
    },
  };
}

function unimplemented(method: MethodShape): AnyHandler {
  return () => {
    throw new AppError('UNIMPLEMENTED', `${method.path} is not available in this version`);
  };
}

interface Rpc {
  readonly method: MethodShape;
  readonly roles: readonly Role[];
  readonly scope: ScopeRule;
  readonly limits: MethodLimits;
  readonly handler: AnyHandler;
}

function adapt(pipeline: CallPipeline, { method, roles, scope, limits, handler }: Rpc) {
  const openEnded = method.requestStream || method.responseStream;
  const rpc = bindRpc(pipeline, { path: method.path, access: roles, scope, openEnded, limits });
  return method.responseStream
    ? adaptStreamed(rpc, method, handler)
    : adaptSingle(rpc, method, handler);
}

type SingleCall = handleUnaryCall<unknown, unknown> & handleClientStreamingCall<unknown, unknown>;
type StreamedCall = handleServerStreamingCall<unknown, unknown> &
  handleBidiStreamingCall<unknown, unknown>;

/** Returns the session to which a request belongs, for methods whose calls are limited per session. */
function sessionOf({ limits }: BoundRpc, request: unknown): string | undefined {
  const { secretField: field } = limits;
  return field === undefined
    ? undefined
    : sessionIdOf((request as Record<string, unknown> | null)?.[field]);
}

function adaptSingle(
  rpc: BoundRpc,
  { requestStream }: MethodShape,
  handler: AnyHandler,
): SingleCall {
  return (call, callback) => {
    const request = requestStream ? wholeRequest(call) : (call as { request: unknown }).request;
    const respond: Respond = (error, response) =>
      callback(error ? toGrpcStatus(error) : null, response);
    new ServerCall(rpc, call, respond, sessionOf(rpc, request)).run((context) => {
      assertSize(request);
      return handler(request, context);
    });
  };
}

function adaptStreamed(
  rpc: BoundRpc,
  { requestStream }: MethodShape,
  handler: AnyHandler,
): StreamedCall {
  return (call) => {
    const stream = call as ServerWritableStream<unknown, unknown>;
    const request = requestStream ? readRequests(call) : stream.request;
    if (requestStream) sendAhead(stream);
    const respond: Respond = (error) => {
      if (error) stream.emit('error', toGrpcStatus(error));
      else stream.end();
    };
    new ServerCall(rpc, call, respond).run((context) => {
      assertSize(request);
      const responses = new ResponseStream(stream, context.signal);
      context.flushed = () => responses.flushed();
      return responses.writeAll(handler(request, context) as AsyncIterable<unknown>);
    });
  };
}
