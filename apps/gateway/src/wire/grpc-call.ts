import type { DescMethod } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { compressedFlag, type Compression } from '@connectrpc/connect/protocol';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { toAppError } from '@daycare/api';
import { mergeSignals } from '@daycare/async';
import type { FloodGuard } from '@daycare/rpc';
import { discardBody } from '../http/respond-error';
import { writePaced } from '../http/write-paced';
import { toConnectError } from '../rpc/connect-error';
import { endWhenSilent, maxSilenceMs } from '../rpc/end-when-silent';
import { ObservedCall, streamFailure, type ForwardDeps } from '../rpc/observed-call';
import { singleCall, streamCall, type Requests } from '../rpc/upstream-calls';
import { frame } from './envelopes';
import { compress, type Exchange } from './exchange';
import type { GrpcFormat } from './grpc-formats';
import { readMessage, readMessages, rememberFailure, type ReadFailure } from './read-request';

export interface WireDeps extends ForwardDeps {
  /** The maximum size of a request message in any format. */
  readonly maxRequestBytes: number;
  /**
   * Slows connections on which a service refuses many calls. The service cannot do so itself, because it sees only the
   * gateway's connections.
   */
  readonly floodGuard: FloodGuard;
}

type HandleGrpc = (exchange: Exchange, format: GrpcFormat) => Promise<void>;

/**
 * Handles calls to one RPC over gRPC and gRPC-Web. Messages are forwarded unchanged; the service decodes and checks
 * them.
 */
export function makeGrpcCall(method: DescMethod, deps: WireDeps): HandleGrpc {
  const { methodKind } = method;
  const hasOneResponse = methodKind === 'unary' || methodKind === 'client_streaming';
  const handle = hasOneResponse ? handleSingle(method, deps) : handleStream(method, deps);
  return async (exchange, format) => {
    exchange.response.setHeader('content-type', format.contentType);
    try {
      await handle(exchange, format);
    } catch (thrown) {
      const error = await exchange.delayIfFlooding(thrown, deps.floodGuard);
      if (!exchange.finish()) return;
      format.end(exchange.response, undefined, toConnectError(error));
      discardBody(exchange.request);
    }
  };
}

function handleSingle(method: DescMethod, deps: WireDeps): HandleGrpc {
  const { localName, methodKind } = method;
  const hasOneRequest = methodKind === 'unary';
  return async (exchange, format) => {
    const { options, read, compression } = prepare(exchange, deps);
    const failure: ReadFailure = {};
    const requests = hasOneRequest
      ? await readMessage(exchange.request, read)
      : rememberFailure(readMessages(exchange.request, read), failure);
    const call = new ObservedCall(method, deps);
    let message: Buffer;
    try {
      const forwarded = exchange.forwardedOptions(options);
      message = await singleCall(deps.upstream, localName, requests, forwarded);
    } catch (thrown) {
      const error = failure.error ?? thrown;
      call.end(codeOf(error));
      throw error;
    }
    call.end('OK');
    const framed = await pack(compression, message);
    if (exchange.finish()) format.end(exchange.response, framed);
    discardBody(exchange.request);
  };
}

function handleStream(method: DescMethod, deps: WireDeps): HandleGrpc {
  const hasOneRequest = method.methodKind === 'server_streaming';
  return async (exchange, format) => {
    const { options, read, compression } = prepare(exchange, deps);
    const failure: ReadFailure = {};
    const requests: Requests = hasOneRequest
      ? await readMessage(exchange.request, read)
      : endWhenSilent(rememberFailure(readMessages(exchange.request, read), failure), maxSilenceMs);
    const call = new ObservedCall(method, deps);
    const { signal, release } = mergeSignals(exchange.disconnected, deps.stopping);
    let code = 'CANCELLED';
    try {
      const forwarded = { ...exchange.forwardedOptions(options), signal };
      for await (const message of streamCall(deps.upstream, method.localName, requests, forwarded))
        await writePaced(exchange.response, await pack(compression, message), signal);
      code = 'OK';
    } catch (thrown) {
      const error = failure.error ?? streamFailure(thrown, deps.stopping);
      code = codeOf(error);
      throw error;
    } finally {
      release();
      call.end(code);
    }
    if (exchange.finish()) format.end(exchange.response, undefined);
    discardBody(exchange.request);
  };
}

/** Returns an error's code, as metrics count it. Reading a malformed request fails with a `ConnectError`. */
function codeOf(error: unknown): string {
  return error instanceof ConnectError
    ? codeToString(error.code).toUpperCase()
    : toAppError(error).code;
}

/** Reads a call's headers, before any of its messages are read. */
function prepare(exchange: Exchange, { maxRequestBytes: maxBytes }: WireDeps) {
  const options = exchange.callOptions();
  const { request, response: compression } = exchange.compression();
  if (compression) exchange.response.setHeader('grpc-encoding', compression.name);
  const read = { maxBytes, compression: request, disconnected: exchange.disconnected };
  return { options, read, compression };
}

/** Frames a response; returns a promise only if the response is compressed. */
function pack(compression: Compression | null, message: Buffer): Buffer | Promise<Buffer> {
  const compressed = compress(compression, message);
  return compressed ? compressed.then((bytes) => frame(compressedFlag, bytes)) : frame(0, message);
}
