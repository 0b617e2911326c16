import { compressionNegotiate, type Compression } from '@connectrpc/connect/protocol';
import { AppError } from '@daycare/api';
import { traceparentKey, type CallOptions, type FloodGuard } from '@daycare/rpc';
import { headerOf, type GatewayRequest, type GatewayResponse } from '../http/gateway-request';
import { holdBack } from '../http/hold-back';
import { requestedDeadline, requestedTimeout } from '../http/requested-deadline';
import { metadataOf, type CallOrigin } from '../rpc/call-origin';
import { compressions, minCompressedBytes } from '../rpc/compressions';

/** A protocol's headers that state how messages are compressed. */
export interface WireHeaders {
  readonly encoding: string;
  readonly acceptEncoding: string;
}

/** One RPC over HTTP. */
export class Exchange {
  /** Aborted when the client disconnects before the call is finished. */
  readonly disconnected: AbortSignal;
  readonly #startedMs = performance.now();
  #isFinished = false;

  constructor(
    readonly request: GatewayRequest,
    readonly response: GatewayResponse,
    private readonly origin: CallOrigin,
    private readonly headers: WireHeaders,
  ) {
    const leaving = new AbortController();
    this.disconnected = leaving.signal;
    response.once('close', () => {
      // Whatever is still reading the request fails with this reason.
      if (!this.#isFinished) leaving.abort(new AppError('CANCELLED', 'The call was cancelled'));
    });
  }

  /**
   * To be called before the last write. Returns false if the call was already finished or the client has disconnected.
   */
  finish(): boolean {
    const isFirst = !this.#isFinished && !this.disconnected.aborted;
    this.#isFinished = true;
    return isFirst;
  }

  /** Returns the options for the forwarded call. Throws for invalid headers. */
  callOptions(): CallOptions {
    const signal = this.disconnected;
    const metadata = metadataOf(this.origin, headerOf(this.request, traceparentKey));
    const { timeoutMs, error } = requestedTimeout(this.request);
    if (error) throw error;
    return timeoutMs === undefined ? { metadata, signal } : { metadata, signal, timeoutMs };
  }

  /** Returns the options for forwarding the call now; its timeout has been running since the request began. */
  forwardedOptions(options: CallOptions): CallOptions {
    if (options.timeoutMs === undefined) return options;
    const timeoutMs = Math.floor(options.timeoutMs - (performance.now() - this.#startedMs));
    if (timeoutMs > 0) return { ...options, timeoutMs };
    throw new AppError('DEADLINE_EXCEEDED', 'The deadline passed before the request had arrived');
  }

  /** Resolves to the error when it should be sent. Only rate-limit refusals on flooding connections are delayed. */
  async delayIfFlooding(error: unknown, guard: FloodGuard): Promise<unknown> {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') return error;
    const receivedAtMs = Date.now() - (performance.now() - this.#startedMs);
    // A call whose refusal is held back does not take up another request's slot, whether the refusal comes from the
    // gateway or from the service.
    this.origin.release?.();
    return holdBack(guard, this.request, error, requestedDeadline(this.request, receivedAtMs));
  }

  /** Returns how messages are compressed. Throws if the request's compression is unknown. */
  compression(): { readonly request: Compression | null; readonly response: Compression | null } {
    const { encoding, acceptEncoding } = this.headers;
    const sent = headerOf(this.request, encoding);
    const accepted = headerOf(this.request, acceptEncoding);
    if (sent === '' && accepted === '') return noCompression;
    const requested = sent === '' ? null : sent;
    const negotiated = compressionNegotiate(compressions, requested, accepted, acceptEncoding);
    if (negotiated.error) throw negotiated.error;
    return negotiated;
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
