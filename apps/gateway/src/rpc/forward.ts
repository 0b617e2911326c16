import type { HandlerContext, MethodImpl } from '@connectrpc/connect';
import type { DescMethod } from '@bufbuild/protobuf';
import type { CallOptions, CallOutcome } from '@daycare/rpc';
import { AppError, toAppError } from '@daycare/api';
import { mergeSignals } from '@daycare/async';
import { forwardedMetadata } from './call-origin';
import { toConnectError } from './connect-error';
import { singleCall, streamCall } from './upstream-calls';
import { endWhenSilent, isStream } from './end-when-silent';
import type { Upstream } from './upstreams';

/** How long a stream of requests may be without one. */
const maxSilenceMs = 600_000;

export interface ForwardDeps {
  readonly upstream: Upstream;
  readonly observe: (outcome: CallOutcome) => void;
  /** Ends open streams. */
  readonly stopping: AbortSignal;
}

/**
 * Forwards the calls of one RPC. Deadline and cancellation of the client apply to the forwarded call, and a stream is
 * read no faster than the client reads.
 */
export function forward(method: DescMethod, deps: ForwardDeps): MethodImpl<DescMethod> {
  const { methodKind } = method;
  const isAnswered = methodKind === 'unary' || methodKind === 'client_streaming';
  const implementation = !isAnswered ? forwardStream(method, deps) : forwardSingle(method, deps);
  return implementation as MethodImpl<DescMethod>;
}

function forwardSingle(method: DescMethod, deps: ForwardDeps) {
  return async (request: unknown, context: HandlerContext): Promise<unknown> => {
    const call = startCall(method, deps);
    try {
      const { upstream } = deps;
      const response = await singleCall(upstream, method.localName, request, optionsOf(context));
      call.end('OK');
      return response;
    } catch (error) {
      call.end(toAppError(error).code);
      throw toConnectError(error);
    }
  };
}

function forwardStream(method: DescMethod, deps: ForwardDeps) {
  return async function* (request: unknown, context: HandlerContext): AsyncGenerator {
    const call = startCall(method, deps);
    const { signal, release } = mergeSignals(context.signal, deps.stopping);
    let code = 'CANCELLED';
    try {
      const options = { ...optionsOf(context), signal };
      const requests = isStream(request) ? endWhenSilent(request, maxSilenceMs) : request;
      yield* streamCall(deps.upstream, method.localName, requests, options);
      code = 'OK';
    } catch (thrown) {
      const error = deps.stopping.aborted ? stoppingError() : toAppError(thrown);
      code = error.code;
      throw toConnectError(error);
    } finally {
      release();
      call.end(code);
    }
  };
}

function stoppingError(): AppError {
  return new AppError('UNAVAILABLE', 'This gateway is stopping; continue with another one');
}

/** Measures a call; `end` records its outcome. */
function startCall(method: DescMethod, { observe }: ForwardDeps) {
  const startedMs = performance.now();
  const service = method.parent.typeName;
  return {
    end: (code: string): void =>
      observe({ service, method: method.name, code, durationMs: performance.now() - startedMs }),
  };
}

function optionsOf(context: HandlerContext): CallOptions {
  const timeoutMs = context.timeoutMs();
  return {
    metadata: forwardedMetadata(context),
    signal: context.signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}
