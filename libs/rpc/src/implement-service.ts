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
import { AppError, toAppError } from '@daycare/errors';
import type { CallContext } from './call-context';
import { runCall, type CallPipeline, type IncomingCall } from './call-pipeline';
import { writeAll } from './response-stream';
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
 * Joins a contract with its handlers. Every RPC of the contract is served: those without a handler
 * answer UNIMPLEMENTED, through the same pipeline as all others.
 */
export function implementService<S extends ServiceContract>(
  name: string,
  contract: S,
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
        implementation[key] = adapt(pipeline, method, handler);
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

function adapt(pipeline: CallPipeline, method: MethodShape, handler: AnyHandler) {
  return method.responseStream
    ? adaptStreamed(pipeline, method, handler)
    : adaptSingle(pipeline, method, handler);
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

function adaptSingle(pipeline: CallPipeline, method: MethodShape, handler: AnyHandler): SingleCall {
  return (call, callback) => {
    const request = method.requestStream
      ? requestsOf(call)
      : (call as { request: unknown }).request;
    const openEnded = method.requestStream;
    runCall(pipeline, method.path, call as IncomingCall, { openEnded }, async (context) =>
      handler(request, context),
    ).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toGrpcStatus(toAppError(error))),
    );
  };
}

function adaptStreamed(
  pipeline: CallPipeline,
  method: MethodShape,
  handler: AnyHandler,
): StreamedCall {
  return (call) => {
    const stream = call as ServerWritableStream<unknown, unknown>;
    const request = method.requestStream ? requestsOf(call) : stream.request;
    runCall(pipeline, method.path, call as IncomingCall, { openEnded: true }, async (context) =>
      writeAll(stream, handler(request, context) as AsyncIterable<unknown>, context.signal),
    ).then(
      () => stream.end(),
      (error: unknown) => stream.emit('error', toGrpcStatus(toAppError(error))),
    );
  };
}
