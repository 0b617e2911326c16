import type { OutgoingHttpHeaders } from 'node:http2';
import { status, type Client, type Metadata, type requestCallback } from '@grpc/grpc-js';
import { asGrpcMethod, type MethodShape } from '../shared/service-types';
import { frameOf } from '../shared/wire/one-message';
import { awaitResponse, type AnyCall, type CallDefaults } from './call-setup';
import { DirectCall, type DirectOutcome } from './direct/direct-call';
import { findRoute, type Route } from './direct/find-route';
import { toServiceError } from './direct/stream-status';

export interface UnaryOptions {
  readonly defaults: CallDefaults;
  readonly maxMessageBytes: number;
  /** Whether grpc-js retries the call while the peer is unavailable. */
  readonly isRetried: boolean;
}

interface Cancellable {
  cancel(): void;
}

/**
 * Makes calls with one request and one response. They bypass grpc-js but use one of its connections, which halves their
 * cost. grpc-js makes a call while there is no connection, when the call has to be retried, and when it must fail
 * before it is sent, because its deadline has passed or its request is too large or cannot be encoded.
 */
export function unary(
  client: Client,
  method: MethodShape,
  { defaults, maxMessageBytes, isRetried }: UnaryOptions,
): AnyCall {
  const { path, requestSerialize, responseDeserialize } = asGrpcMethod(method);
  const route = findRoute(client);
  const makeHeaders = route && makeCallHeaders(path, route);
  return (request, options = {}) =>
    awaitResponse(path, options, defaults, (metadata, callOptions, done) => {
      const viaGrpc = (): Cancellable =>
        withoutStack(() =>
          client.makeUnaryRequest(
            path,
            requestSerialize,
            responseDeserialize,
            request,
            metadata,
            callOptions,
            done,
          ),
        );
      const connection = route?.next();
      const deadline = Number(callOptions.deadline ?? Infinity);
      if (!connection || !makeHeaders || deadline <= Date.now()) return viaGrpc();
      const message = encode(request, requestSerialize);
      if (!message || message.length > maxMessageBytes) return viaGrpc();
      let call: Cancellable;
      const finish = (outcome: DirectOutcome): void => {
        if (!mustRetry(outcome, isRetried)) return settle(outcome, responseDeserialize, done);
        try {
          call = viaGrpc();
        } catch {
          // The client has been closed in the meantime.
          settle(outcome, responseDeserialize, done);
        }
      };
      const headers = makeHeaders(metadata, connection.userAgent, deadline);
      const directRequest = {
        headers,
        frame: frameOf(message),
        deadline,
        maxResponseBytes: maxMessageBytes,
      };
      try {
        call = new DirectCall(connection, directRequest, finish);
      } catch {
        // The session has just ended.
        return viaGrpc();
      }
      return { cancel: () => call.cancel() };
    });
}

/** Returns undefined if the request cannot be encoded; grpc-js then reports the error. */
function encode(request: unknown, serialize: (request: unknown) => Buffer): Buffer | undefined {
  try {
    return serialize(request);
  } catch {
    return undefined;
  }
}

/**
 * Reports whether a request must be retried: always if the peer refused it, because it was not handled; otherwise only
 * if retries are allowed and the call failed with UNAVAILABLE before the peer began to respond.
 */
function mustRetry(outcome: DirectOutcome, isRetried: boolean): boolean {
  if ('response' in outcome) return false;
  const { failure, hasResponded, isRefused } = outcome;
  return isRefused || (isRetried && !hasResponded && failure.code === status.UNAVAILABLE);
}

function settle(
  outcome: DirectOutcome,
  deserialize: (bytes: Buffer) => unknown,
  done: requestCallback<unknown>,
): void {
  if ('failure' in outcome) return done(toServiceError(outcome.failure));
  let response: unknown;
  try {
    response = deserialize(outcome.response);
  } catch (error) {
    const details = `Response message parsing error: ${error instanceof Error ? error.message : ''}`;
    return done(toServiceError({ code: status.INTERNAL, details }));
  }
  done(null, response);
}

type MakeHeaders = (metadata: Metadata, userAgent: string, deadline: number) => OutgoingHttpHeaders;

function makeCallHeaders(path: string, { authority }: Route): MakeHeaders {
  // Many calls share the same metadata object.
  const convertedHeaders = new WeakMap<Metadata, OutgoingHttpHeaders>();
  return (metadata, userAgent, deadline) => {
    const metadataHeaders = convertedHeaders.get(metadata) ?? metadata.toHttp2Headers();
    convertedHeaders.set(metadata, metadataHeaders);
    return {
      ...metadataHeaders,
      ':authority': authority,
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': userAgent,
      ...(deadline === Infinity ? {} : { 'grpc-timeout': timeoutOf(deadline) }),
    };
  };
}

const units = [
  ['m', 1],
  ['S', 1_000],
  ['M', 60_000],
  ['H', 3_600_000],
] as const;

/** Returns the value of `grpc-timeout`, for which gRPC allows at most eight digits and a unit. */
function timeoutOf(deadline: number): string {
  const ms = Math.max(deadline - Date.now(), 0);
  const [unit, factor] = units.find(([, msPerUnit]) => ms / msPerUnit < 1e8) ?? ['H', 3_600_000];
  return `${Math.min(Math.ceil(ms / factor), 99_999_999)}${unit}`;
}

/**
 * Skips the stack trace that grpc-js records for every call in case the call fails; recording it makes up a tenth of a
 * call's cost. A failure is logged where it is caught, together with the peer's error.
 */
function withoutStack<T>(call: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
