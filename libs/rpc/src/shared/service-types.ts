import type { MethodDefinition } from '@grpc/grpc-js';
import type { CallContext } from './call-context';
import type { EncodedResponse } from './encoded-response';

type AnyMethod = MethodDefinition<unknown, unknown>;

/** What ts-proto generates for a proto service: one method definition per RPC. */
export type ServiceContract = Readonly<Record<string, MethodShape>>;

/** The part of a method definition from which types are inferred; loose, so that generated definitions match. */
export interface MethodShape {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- contravariant position
  readonly requestSerialize: (value: any) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- contravariant position
  readonly responseSerialize: (value: any) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
}

export type RequestOf<M extends MethodShape> = ReturnType<M['requestDeserialize']>;
export type ResponseOf<M extends MethodShape> = ReturnType<M['responseDeserialize']>;

type Incoming<M extends MethodShape> = M['requestStream'] extends true
  ? AsyncIterable<RequestOf<M>>
  : RequestOf<M>;

type Outgoing<M extends MethodShape> = M['responseStream'] extends true
  ? AsyncIterable<ResponseOf<M>>
  : Promise<ResponseOf<M>>;

type SingleResponse<M extends MethodShape> = ResponseOf<M> | EncodedResponse<ResponseOf<M>>;

type HandlerResult<M extends MethodShape> = M['responseStream'] extends true
  ? AsyncIterable<SingleResponse<M>>
  : Promise<SingleResponse<M>>;

/** One RPC as a plain function; streams are async iterables in both directions. */
export type Handler<M extends MethodShape> = (
  request: Incoming<M>,
  context: CallContext,
) => HandlerResult<M>;

/** A service's handlers. Calls to an RPC without a handler fail with UNIMPLEMENTED. */
export type Handlers<S extends ServiceContract> = { readonly [K in keyof S]?: Handler<S[K]> };

/** Metadata by key; not for repeated or binary values. */
export type CallMetadata = Readonly<Record<string, string>>;

/** Returns the metadata for a call to one method, `/package.Service/Method`. */
export type MetadataFor = (path: string) => CallMetadata | Promise<CallMetadata>;

/** Options of a single call. */
export interface CallOptions {
  /** Overrides the client's default, which does not apply to calls that stream responses. */
  readonly timeoutMs?: number;
  /** Cancels the call. A handler passes its own call's signal, so that the calls it makes end with its own. */
  readonly signal?: AbortSignal;
  /** Sent with the call. An object may be used for many calls, but must not change. */
  readonly metadata?: CallMetadata;
  /** Sent instead of `metadata`: a credential that is valid for one method only. */
  readonly metadataFor?: MetadataFor;
  /** The trace to which the call belongs. */
  readonly traceparent?: string | undefined;
}

/** A service as its caller sees it: the same functions, over the network. */
export type RpcClient<S extends ServiceContract> = {
  readonly [K in keyof S]: (request: Incoming<S[K]>, options?: CallOptions) => Outgoing<S[K]>;
} & { close(): void };

/** The method definition in the form grpc-js expects. */
export function asGrpcMethod(method: MethodShape): AnyMethod {
  return { ...method, originalName: method.path };
}

/** Splits `/daycare.identity.v1.IdentityService/CreateUser` into service and method. */
export function splitPath(path: string): { service: string; method: string } {
  const [, service = '', method = ''] = path.split('/');
  return { service, method };
}
