import { agentRuntime, identity, socialGraph, topology } from './contracts';

export const defaultTimeoutMs = 30_000;
/** How long an upload may take: as long as the gateway allows. */
export const uploadTimeoutMs = 600_000;

/** Options for one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** When to give up; by default after 30 seconds, uploads after 10 minutes, streams never. */
  readonly timeoutMs?: number;
}

/** Options for a stream that is reopened whenever it is interrupted. */
export interface ResumeOptions extends CallOptions {
  /** Called after each interruption, before the stream is reopened. */
  readonly onInterrupted?: (error: unknown) => void;
  /** Called once when the connection is lost, not again for failed attempts to reopen it, nor for a renewed token. */
  readonly onDisconnect?: () => void;
  /** Called when the connection is lost and after each failed attempt to reopen it; if false, the error is thrown. */
  readonly mayResume?: () => boolean;
}

/** What a transport needs for one call besides the request. */
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
  /** In hex; empty where it cannot be computed. */
  readonly sha256: string;
}

/** An RPC as the contracts describe it. */
export interface Method {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- contravariant position
  readonly requestSerialize: (value: any) => Uint8Array;
  // oxlint-disable-next-line typescript/no-explicit-any -- the generated function takes a Buffer
  readonly responseDeserialize: (bytes: any) => unknown;
}

export const services = { agentRuntime, identity, socialGraph, topology };
export type ServiceKey = keyof typeof services;
