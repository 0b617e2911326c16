import { compressionNegotiate, type Compression } from '@connectrpc/connect/protocol';
import { AppError } from '@daycare/api';
import { traceparentKey, type CallOptions, type FloodGuard } from '@daycare/rpc';
import { headerOf, type GatewayRequest, type GatewayResponse } from '../http/gateway-request';
import { holdBack } from '../http/hold-back';
import { requestedDeadline, requestedTimeout } from '../http/requested-deadline';
import { metadataOf, type CallOrigin } from '../rpc/call-origin';
import { compressions, minCompressedBytes } from '../rpc/compressions';

/** The headers of a protocol that say how messages are compressed. */
export interface WireHeaders {
  readonly encoding: string;
  readonly acceptEncoding: string;
}

/** One RPC over HTTP. */
export class Exchange {
  /** Aborted when the client disconnects before the call is answered. */
  readonly disconnected: AbortSignal;
  readonly #startedMs = performance.now();
  #isAnswered = false;

  constructor(
    readonly request: GatewayRequest,
    readonly response: GatewayResponse,
    private readonly origin: CallOrigin,
    private readonly headers: WireHeaders,
  ) {
    const leaving = new AbortController();
    this.disconnected = leaving.signal;
    response.once('close', () => {
      // A constant reason: the default one captures a stack trace for each call.
      if (!this.#isAnswered) leaving.abort(new AppError('CANCELLED', 'The call was cancelled'));
    });
  }

  /** Marks the call as answered, before the last write; returns whether the client can still receive the answer. */
  finish(): boolean {
    const isFirst = !this.#isAnswered && !this.disconnected.aborted;
    this.#isAnswered = true;
    return isFirst;
  }

  /** The options of the forwarded call. Throws for headers that are invalid. */
  callOptions(): CallOptions {
    const signal = this.disconnected;
    const metadata = metadataOf(this.origin, headerOf(this.request, traceparentKey));
    const { timeoutMs, error } = requestedTimeout(this.request);
    if (error) throw error;
    return timeoutMs === undefined ? { metadata, signal } : { metadata, signal, timeoutMs };
  }

  /** The options of a call that is forwarded now: its timeout has been running since the request began. */
  forwardedOptions(options: CallOptions): CallOptions {
    if (options.timeoutMs === undefined) return options;
    const timeoutMs = Math.floor(options.timeoutMs - (performance.now() - this.#startedMs));
    if (timeoutMs > 0) return { ...options, timeoutMs };
    throw new AppError('DEADLINE_EXCEEDED', 'The deadline passed before the request had arrived');
  }

  /** Resolves with the error once it may be sent: late if it refuses one of many calls that exceed a rate. */
  async delayIfFlooding(error: unknown, guard: FloodGuard): Promise<unknown> {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') return error;
    const receivedAtMs = Date.now() - (performance.now() - this.#startedMs);
    // A call whose refusal is held back does not occupy the place of another request, whether the refusal comes from
    // the gateway or from the service.
    this.origin.leave?.();
    return holdBack(guard, this.request, error, requestedDeadline(this.request, receivedAtMs));
  }

  /** How messages are compressed. Throws if the compression of the request is unknown. */
  compression(): { readonly request: Compression | null; readonly response: Compression | null } {
    const { encoding, acceptEncoding } = this.headers;
    const sent = headerOf(this.request, encoding);
    const accepted = headerOf(this.request, acceptEncoding);
    if (sent === '' && accepted === '') return noCompression;
    const requested = sent === '' ? null : sent;
    const found = compressionNegotiate(compressions, requested, accepted, acceptEncoding);
    if (found.error) throw found.error;
    return found;
  }
}

const noCompression = { request: null, response: null };

/** Compresses a message if that is worthwhile; otherwise returns undefined. */
export function compress(
  compression: Compression | null,
  bytes: Uint8Array,
): Promise<Uint8Array> | undefined {
  return compression && bytes.length >= minCompressedBytes
    ? compression.compress(bytes)
    : undefined;
}
