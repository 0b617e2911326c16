import type { MethodDefinition } from '@grpc/grpc-js';
import type { CallContext } from './call-context';

type AnyMethod = MethodDefinition<unknown, unknown>;

/** What ts-proto generates for a proto service: a method definition per RPC. */
export type ServiceContract = Readonly<Record<string, MethodShape>>;

/** The part of a method definition that types are read from; loose so that generated ones fit. */
export interface MethodShape {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- contravariant position
  readonly requestSerialize: (value: any) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- contravariant position
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

/** One RPC as a plain function: streams are async iterables on either side. */
export type Handler<M extends MethodShape> = (
  request: Incoming<M>,
  context: CallContext,
) => Outgoing<M>;

/** The handlers of a service. One that is left out answers UNIMPLEMENTED. */
export type Handlers<S extends ServiceContract> = { readonly [K in keyof S]?: Handler<S[K]> };

/** How a call is made; everything is optional because every call has a deadline anyway. */
export interface CallOptions {
  /** Overrides the client's default; never outlives the parent call. */
  readonly timeoutMs?: number;
  /** The call on whose behalf this one is made: its deadline and cancellation carry over. */
  readonly parent?: Pick<CallContext, 'deadline' | 'signal'>;
  readonly signal?: AbortSignal;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A service seen by its caller: the same functions, over the wire. */
export type RpcClient<S extends ServiceContract> = {
  readonly [K in keyof S]: (request: Incoming<S[K]>, options?: CallOptions) => Outgoing<S[K]>;
} & { close(): void };

/** Method definitions as grpc-js wants them; ts-proto's have this shape. */
export function asGrpcMethod(method: MethodShape): AnyMethod {
  return { ...method, originalName: method.path };
}

/** `daycare.identity.v1.IdentityService` and `CreateUser` from `/daycare.identity.v1.IdentityService/CreateUser`. */
export function splitPath(path: string): { service: string; method: string } {
  const [, service = '', method = ''] = path.split('/');
  return { service, method };
}
