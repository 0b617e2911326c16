import type { Caller } from './caller';
import { services, type CallOptions, type Method } from '../transport/transport';

type Contract = Readonly<Record<string, Method>>;
type RequestOf<M extends Method> = Parameters<M['requestSerialize']>[0];
type ResponseOf<M extends Method> = ReturnType<M['responseDeserialize']>;

/**
 * One RPC as a function. RPCs that stream requests need gRPC and are left out; to upload a file, use the client's
 * `files.upload`.
 */
type Rpc<M extends Method> = M['responseStream'] extends true
  ? (request: RequestOf<M>, options?: CallOptions) => AsyncIterable<ResponseOf<M>>
  : (request: RequestOf<M>, options?: CallOptions) => Promise<ResponseOf<M>>;

/** A service's RPCs. */
export type ServiceRpcs<S> = {
  readonly [
    K in keyof S as S[K] extends { readonly requestStream: false } ? K : never
  ]: S[K] extends Method ? Rpc<S[K]> : never;
};

/**
 * Every RPC except those that stream requests; requests and responses are the messages defined in proto/. Daycare
 * refuses calls to RPCs that only services may call.
 */
export interface Rpcs {
  readonly identity: ServiceRpcs<(typeof services)['identity']>;
  readonly socialGraph: ServiceRpcs<(typeof services)['socialGraph']>;
  readonly agentRuntime: ServiceRpcs<(typeof services)['agentRuntime']>;
  readonly topology: ServiceRpcs<(typeof services)['topology']>;
}

export function makeRpcs(caller: Caller): Rpcs {
  const rpcsOf = (contract: Contract): object =>
    Object.fromEntries(
      Object.entries(contract)
        .filter(([, method]) => !method.requestStream)
        .map(([name, method]) => [name, rpcOf(caller, method)]),
    );
  const entries = Object.entries(services).map(([name, contract]) => [name, rpcsOf(contract)]);
  const rpcs: unknown = Object.fromEntries(entries);
  return rpcs as Rpcs;
}

function rpcOf(caller: Caller, method: Method) {
  return method.responseStream
    ? (request: unknown, options?: CallOptions) => caller.stream(method, request, options)
    : (request: unknown, options?: CallOptions) => caller.unary(method, request, options);
}
