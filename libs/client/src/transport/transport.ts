import { agentRuntime, identity, socialGraph, topology } from './contracts';

export const defaultTimeoutMs = 30_000;
/** Uploads take as long as the gateway lets them. */
export const uploadTimeoutMs = 600_000;

/** Options of one call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** When to give up; by default after 30 seconds, uploads after 10 minutes, streams never. */
  readonly timeoutMs?: number;
}

/** What a transport sends with a call. */
export interface SentOptions extends CallOptions {
  readonly authorization: string | undefined;
}

/** How calls reach Daycare. Errors are DaycareErrors. */
export interface Transport {
  unary(method: Method, request: unknown, options: SentOptions): Promise<unknown>;
  stream(method: Method, request: unknown, options: SentOptions): AsyncIterable<unknown>;
  upload(file: Upload, options: SentOptions): Promise<unknown>;
  close(): void;
}

/** A file to store. */
export interface Upload {
  readonly requestId: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** An RPC as the contracts describe it. */
export interface Method {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- contravariant position
  readonly requestSerialize: (value: any) => Uint8Array;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the generated one takes a Buffer
  readonly responseDeserialize: (bytes: any) => unknown;
}

export const services = { agentRuntime, identity, socialGraph, topology };
