import type { HandlerContext, MethodImpl } from '@connectrpc/connect';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { CallOptions } from '@daycare/rpc';
import { toAppError } from '@daycare/api';
import { mergeSignals } from '@daycare/async';
import { forwardedMetadata } from './call-origin';
import { toConnectError } from './connect-error';
import { endWhenSilent, isStream, maxSilenceMs } from './end-when-silent';
import { singleMessage, streamMessages, type Messages } from './message-calls';
import { ObservedCall, streamFailure, type ForwardDeps } from './observed-call';

/**
 * Forwards calls to one RPC. The client's deadline and cancellation apply to the forwarded call, and a stream is
 * read no faster than the client reads.
 */
export function forward(method: DescMethod, deps: ForwardDeps): MethodImpl<DescMethod> {
  const { methodKind } = method;
  const hasOneResponse = methodKind === 'unary' || methodKind === 'client_streaming';
  const implementation = hasOneResponse ? forwardSingle(method, deps) : forwardStream(method, deps);
  return implementation as MethodImpl<DescMethod>;
}

function forwardSingle(method: DescMethod, deps: ForwardDeps) {
  return async (request: Messages, context: HandlerContext): Promise<Message> => {
    const call = new ObservedCall(method, deps);
    try {
      const response = await singleMessage(deps.upstream, method, request, optionsOf(context));
      call.end('OK');
      return response;
    } catch (error) {
      call.end(toAppError(error).code);
      throw toConnectError(error);
    }
  };
}

function forwardStream(method: DescMethod, deps: ForwardDeps) {
  return async function* (request: Messages, context: HandlerContext): AsyncGenerator {
    const call = new ObservedCall(method, deps);
    const { signal, release } = mergeSignals(context.signal, deps.stopping);
    let code = 'CANCELLED';
    try {
      const options = { ...optionsOf(context), signal };
      const requests = isStream<Message>(request) ? endWhenSilent(request, maxSilenceMs) : request;
      yield* streamMessages(deps.upstream, method, requests, options);
      code = 'OK';
    } catch (thrown) {
      const error = streamFailure(thrown, deps.stopping);
      code = error.code;
      throw toConnectError(error);
    } finally {
      release();
      call.end(code);
    }
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
