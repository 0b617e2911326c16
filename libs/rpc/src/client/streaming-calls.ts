import type {
  CallOptions as GrpcCallOptions,
  Client,
  ClientWritableStream,
  Metadata,
  ServiceError,
} from '@grpc/grpc-js';
import { toAppError } from '@daycare/api';
import { awaitResponse, cancelOnAbort, deadlineOf, failureOf, metadataOf } from './call-setup';
import type { AnyCall, CallDefaults } from './call-setup';
import { asGrpcMethod, type CallOptions, type MethodShape } from '../shared/service-types';

export function clientStream(client: Client, method: MethodShape, defaults: CallDefaults): AnyCall {
  const { path, requestSerialize, responseDeserialize } = asGrpcMethod(method);
  return (requests: AsyncIterable<unknown>, options: CallOptions = {}) =>
    awaitResponse(path, options, defaults, (metadata, callOptions, done, fail) => {
      const call = client.makeClientStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        metadata,
        callOptions,
        done,
      );
      sendAll(call, requests).catch((error: unknown) => {
        call.cancel();
        fail(toAppError(error));
      });
      return call;
    });
}

export function serverStream(client: Client, method: MethodShape, defaults: CallDefaults): AnyCall {
  const { path, requestSerialize, responseDeserialize } = asGrpcMethod(method);
  const wire = [path, requestSerialize, responseDeserialize] as const;
  return (request: unknown, options: CallOptions = {}) =>
    readResponses(path, options, defaults, (metadata, callOptions) =>
      client.makeServerStreamRequest(...wire, request, metadata, callOptions),
    );
}

/** Sends and receives concurrently; if the request source throws, the call ends with that error. */
export function bidiStream(client: Client, method: MethodShape, defaults: CallDefaults): AnyCall {
  const { path, requestSerialize, responseDeserialize } = asGrpcMethod(method);
  return (requests: AsyncIterable<unknown>, options: CallOptions = {}) =>
    readResponses(path, options, defaults, (metadata, callOptions, fail) => {
      const call = client.makeBidiStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        metadata,
        callOptions,
      );
      sendAll(call, requests).catch((error: unknown) => {
        fail(error);
        call.cancel();
      });
      return call;
    });
}

type StartStream = (
  metadata: Metadata,
  callOptions: GrpcCallOptions,
  fail: (error: unknown) => void,
) => AsyncIterable<unknown> & { cancel(): void };

/** Starts a call when its first response is requested; cancels the call when the reader stops reading. */
async function* readResponses(
  path: string,
  options: CallOptions,
  defaults: CallDefaults,
  start: StartStream,
): AsyncGenerator {
  const deadline = deadlineOf(options, Infinity);
  let failure: unknown;
  const call = start(
    await metadataOf(path, options, defaults),
    Number.isFinite(deadline) ? { deadline } : {},
    (error) => (failure = error),
  );
  const release = cancelOnAbort(options, call);
  try {
    yield* call;
  } catch (error) {
    throw failure === undefined && isServiceError(error)
      ? failureOf(error, defaults)
      : toAppError(failure ?? error);
  } finally {
    release();
    call.cancel();
  }
}

/**
 * Sends all requests at the peer's pace. Once the call is over, the source is closed when it yields its next
 * request.
 */
async function sendAll(
  call: Pick<ClientWritableStream<unknown>, 'write' | 'end' | 'on' | 'once'>,
  requests: AsyncIterable<unknown>,
): Promise<void> {
  const progress = { isOver: false, proceed: (): void => undefined };
  call.on('drain', () => progress.proceed());
  call.once('status', () => {
    progress.isOver = true;
    progress.proceed();
  });
  for await (const request of requests) {
    if (progress.isOver) return;
    if (!call.write(request)) {
      await new Promise<void>((resolve) => {
        progress.proceed = resolve;
      });
    }
  }
  call.end();
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'metadata' in error;
}
