import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import type { AppError } from '@daycare/api';
import { forwardedKey, traceparentKey } from '@daycare/rpc';

/** Where a request comes from, and its credential. */
export interface CallOrigin {
  /** The client's address, as far as proxies can be trusted. */
  readonly address: string;
  /** The value of `authorization` to forward; empty without one. */
  readonly authorization: string;
  /** Identifies the request in logs and responses. */
  readonly requestId: string;
  /** Why the request is refused before it is forwarded. */
  readonly refusal?: AppError | undefined;
  /** Stops counting the request as in progress; may be called more than once. */
  readonly release?: () => void;
}

/** The origin of a call, set by the HTTP server for each request. */
export const callOriginKey = createContextKey<CallOrigin | undefined>(undefined);

/** Returns the metadata to forward with an RPC. */
export function forwardedMetadata(context: HandlerContext): ForwardedMetadata {
  const origin = context.values.get(callOriginKey);
  return metadataOf(origin, context.requestHeader.get(traceparentKey) ?? '');
}

type ForwardedMetadata = Readonly<Record<string, string>>;

/**
 * Returns the metadata to forward with a call: who is calling, from where and for which trace. No other metadata that
 * a client sends reaches the services. Throws for a request that has already been refused.
 */
export function metadataOf(origin: CallOrigin | undefined, traceparent: string): ForwardedMetadata {
  if (origin?.refusal) throw origin.refusal;
  return {
    ...(origin && { [forwardedKey]: origin.address }),
    ...(origin?.authorization && { authorization: origin.authorization }),
    ...(traceparent && { [traceparentKey]: traceparent }),
  };
}
