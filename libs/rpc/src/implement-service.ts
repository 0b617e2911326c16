import type { Readable } from 'node:stream';
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { AccessTable, Role } from '@daycare/contracts/access';
import { AppError, toAppError } from '@daycare/errors';
import type { CallContext } from './call-context';
import { runCall, type CallPipeline, type IncomingCall, type RpcFacts } from './call-pipeline';
import { ResponseStream } from './response-stream';
import {
  asGrpcMethod,
  type Handlers,
  type MethodShape,
  type ServiceContract,
} from './service-types';
import { toGrpcStatus } from './status-details';

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
 * Joins a contract with who may call it and its handlers. Every RPC of the contract is served: those
 * without a handler answer UNIMPLEMENTED, through the same pipeline as all others. An RPC that the
 * access table does not open to a caller is closed to it.
 */
export function implementService<S extends ServiceContract>(
  name: string,
  contract: S,
  access: AccessTable<NoInfer<S>>,
  handlers: Handlers<S>,
): ServiceImplementation {
  return {
    name,
    bind(pipeline) {
      const definition: Record<string, ReturnType<typeof asGrpcMethod>> = {};
      const implementation: Record<string, ReturnType<typeof adapt>> = {};
      for (const [key, method] of Object.entries(contract)) {
        const handler = (handlers[key] as AnyHandler | undefined) ?? unimplemented(method);
        definition[key] = asGrpcMethod(method);
        implementation[key] = adapt(pipeline, { method, roles: access[key] ?? [], handler });
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
  readonly handler: AnyHandler;
}

function adapt(pipeline: CallPipeline, rpc: Rpc) {
  return rpc.method.responseStream ? adaptStreamed(pipeline, rpc) : adaptSingle(pipeline, rpc);
}

function factsOf({ method, roles }: Rpc): RpcFacts {
  const openEnded = method.requestStream || method.responseStream;
  return { path: method.path, access: roles, openEnded };
}

type SingleCall = handleUnaryCall<unknown, unknown> & handleClientStreamingCall<unknown, unknown>;
type StreamedCall = handleServerStreamingCall<unknown, unknown> &
  handleBidiStreamingCall<unknown, unknown>;

/**
 * The requests of a streaming call. Reading them to the end must not destroy the call, as iterating
 * over it would: the answer still has to go out on it.
 */
function requestsOf(call: unknown): AsyncIterable<unknown> {
  return (call as Readable).iterator({ destroyOnReturn: false });
}

const nothingSent = async (): Promise<void> => undefined;

function adaptSingle(pipeline: CallPipeline, rpc: Rpc): SingleCall {
  const facts = factsOf(rpc);
  const { method, handler } = rpc;
  return (call, callback) => {
    const request = method.requestStream
      ? requestsOf(call)
      : (call as { request: unknown }).request;
    runCall(pipeline, facts, call as IncomingCall, async (context) =>
      handler(request, { ...context, flushed: nothingSent }),
    ).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toGrpcStatus(toAppError(error))),
    );
  };
}

function adaptStreamed(pipeline: CallPipeline, rpc: Rpc): StreamedCall {
  const facts = factsOf(rpc);
  const { method, handler } = rpc;
  return (call) => {
    const stream = call as ServerWritableStream<unknown, unknown>;
    const request = method.requestStream ? requestsOf(call) : stream.request;
    runCall(pipeline, facts, call as IncomingCall, async (context) => {
      const responses = new ResponseStream(stream, context.signal);
      const flushed = (): Promise<void> => responses.flushed();
      const source = handler(request, { ...context, flushed }) as AsyncIterable<unknown>;
      await responses.writeAll(source);
    }).then(
      () => stream.end(),
      (error: unknown) => stream.emit('error', toGrpcStatus(toAppError(error))),
    );
  };
}
