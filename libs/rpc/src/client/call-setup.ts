import {
  Metadata,
  status,
  type CallOptions as GrpcCallOptions,
  type requestCallback,
  type ServiceError,
} from '@grpc/grpc-js';
import { onAbort } from '@daycare/async';
import type { AppError } from '@daycare/api';
import type { CallMetadata, CallOptions } from '../shared/service-types';
import { fromGrpcError } from '../shared/status-details';
import { traceparentKey } from '../shared/traceparent';

export type AnyCall = (request: never, options?: CallOptions) => unknown;

/** The defaults for calls that do not set their own options. */
export interface CallDefaults {
  readonly timeoutMs: number;
  readonly metadata: CallMetadata;
  readonly onUnauthenticated?: (() => void) | undefined;
  /**
   * The grpc-js metadata built for earlier calls, by the object from which it was built. Calls may share it, because
   * grpc-js copies it for each call.
   */
  readonly metadataCache: WeakMap<object, Metadata>;
}

export type StartCall = (
  metadata: Metadata,
  callOptions: GrpcCallOptions,
  done: requestCallback<unknown>,
  fail: (error: AppError) => void,
) => { cancel(): void };

/**
 * Starts a call with a single response and awaits the response. The call is cancelled when its signal aborts.
 */
export function awaitResponse(
  path: string,
  options: CallOptions,
  defaults: CallDefaults,
  start: StartCall,
): Promise<unknown> {
  const metadata = metadataOf(path, options, defaults);
  const startWith = (resolved: Metadata): Promise<unknown> =>
    runCall(resolved, options, defaults, start);
  return metadata instanceof Promise ? metadata.then(startWith) : startWith(metadata);
}

function runCall(
  metadata: Metadata,
  options: CallOptions,
  defaults: CallDefaults,
  start: StartCall,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let release = noop;
    const progress = { isOver: false };
    const done: requestCallback<unknown> = (error, response) => {
      progress.isOver = true;
      release();
      return error ? reject(failureOf(error, defaults)) : resolve(response);
    };
    const callOptions = { deadline: deadlineOf(options, defaults.timeoutMs) };
    const call = start(metadata, callOptions, done, reject);
    release = cancelOnAbort(options, call);
    // A signal that was already aborted has just ended the call.
    if (progress.isOver) release();
  });
}

const noop = (): void => undefined;

/** Returns the error for a failed call; calls `onUnauthenticated` if the peer rejected the call's credential. */
export function failureOf(error: ServiceError, { onUnauthenticated }: CallDefaults): AppError {
  if (error.code === status.UNAUTHENTICATED) onUnauthenticated?.();
  return fromGrpcError(error);
}

/** Returns a call's metadata; a promise only if `metadataFor` returns one. */
export function metadataOf(
  path: string,
  options: CallOptions,
  defaults: CallDefaults,
): Metadata | Promise<Metadata> {
  const callMetadata = options.metadataFor ? options.metadataFor(path) : options.metadata;
  return callMetadata instanceof Promise
    ? callMetadata.then((resolved) => withTrace(resolved, options, defaults))
    : withTrace(callMetadata, options, defaults);
}

function withTrace(
  callMetadata: CallMetadata | undefined,
  options: CallOptions,
  defaults: CallDefaults,
): Metadata {
  const metadata = sharedMetadata(callMetadata, defaults);
  const { traceparent } = options;
  if (traceparent === undefined) return metadata;
  const traced = metadata.clone();
  traced.set(traceparentKey, traceparent);
  return traced;
}

function sharedMetadata(extra: CallMetadata | undefined, defaults: CallDefaults): Metadata {
  const { metadataCache } = defaults;
  const key = extra ?? defaults.metadata;
  const cached = metadataCache.get(key);
  if (cached) return cached;
  const metadata = new Metadata();
  const all = { ...defaults.metadata, ...extra };
  for (const [name, value] of Object.entries(all)) metadata.set(name, value);
  metadataCache.set(key, metadata);
  return metadata;
}

export function deadlineOf({ timeoutMs }: CallOptions, defaultMs: number): number {
  return Date.now() + (timeoutMs ?? defaultMs);
}

/** Cancels the call when its signal aborts. Invoke the returned function once the call is over. */
export function cancelOnAbort({ signal }: CallOptions, call: { cancel(): void }): () => void {
  return signal ? onAbort(signal, () => call.cancel()) : noop;
}
