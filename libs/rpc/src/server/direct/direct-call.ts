import {
  constants,
  type OutgoingHttpHeaders,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { Metadata, status, type sendUnaryData } from '@grpc/grpc-js';
import type { CallHeaders, IncomingCall } from '../../shared/call-context';
import { Deadlines, type DeadlineSlot, type Expiring } from '../../shared/deadlines';
import { frameOf, MessageCollector } from '../../shared/wire/one-message';

/** A method with one request and one response. */
export interface DirectMethod {
  readonly path: string;
  readonly maxBytes: number;
  readonly deserialize: (bytes: Buffer) => unknown;
  readonly serialize: (response: never) => Buffer;
  readonly handle: (call: DirectCall, respond: sendUnaryData<unknown>) => void;
}

interface Failure {
  readonly code?: number | undefined;
  readonly details?: string | undefined;
  readonly metadata?: { toHttp2Headers(): OutgoingHttpHeaders } | null | undefined;
}

const responseHeaders = { ':status': 200, 'content-type': 'application/grpc+proto' } as const;
const okTrailers = { 'grpc-status': '0', 'grpc-message': 'OK' } as const;
const requestFaults = {
  none: { code: status.UNIMPLEMENTED, details: 'Received no request message' },
  several: { code: status.UNIMPLEMENTED, details: 'Received a second request message' },
  compressed: {
    code: status.INTERNAL,
    details: 'Received a compressed message, but the headers name no compression',
  },
} as const;
/** How long a request may take to arrive, whatever its timeout. */
const maxUploadMs = 60_000;
/** How long a client may keep sending after its call has failed because the request was overdue. */
const lingerMs = 5_000;
const uploads = new Deadlines();
const timeoutPattern = /^(\d{1,8})\s*([HMSmun])$/;
const unitMs = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 } as const;

/**
 * A call with one request and one response, served directly on its HTTP/2 stream, because grpc-js would double its
 * cost. Behaves as grpc-js does, except that the request has to arrive within a minute. Once the request has arrived,
 * the pipeline enforces the deadline.
 */
export class DirectCall implements IncomingCall, Expiring {
  readonly metadata: CallHeaders;
  /** The same field as in a grpc-js call, for code that finds the connection there. */
  readonly call: { readonly stream: ServerHttp2Stream };
  request: unknown;
  readonly #method: DirectMethod;
  readonly #stream: ServerHttp2Stream;
  readonly #deadline: number;
  #uploadSlot: DeadlineSlot;
  #onCancelled: (() => void) | undefined;
  #hasResponded = false;

  constructor(method: DirectMethod, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#method = method;
    this.#stream = stream;
    this.call = { stream };
    this.metadata = new HeaderValues(headers);
    const timeout = headers['grpc-timeout'];
    const timeoutMs = typeof timeout === 'string' ? parseTimeout(timeout) : Infinity;
    this.#deadline = Date.now() + (timeoutMs ?? 0);
    if (timeoutMs === undefined)
      this.#fail(status.INTERNAL, `Invalid grpc-timeout value "${timeout as string}"`);
    this.#uploadSlot = this.#expectEndWithin(Math.min(timeoutMs ?? 0, maxUploadMs));
    const collector = new MessageCollector(method.maxBytes);
    stream.on('data', (chunk: Buffer) => {
      const problem = this.#hasResponded ? undefined : collector.add(chunk);
      if (problem?.kind === 'several') this.#sendFailure(requestFaults.several);
      else if (problem) this.#fail(status.RESOURCE_EXHAUSTED, problem.details);
    });
    stream.on('end', () => {
      this.#uploadSlot.delete(this);
      this.#handle(collector);
    });
    stream.on('close', () => {
      this.#uploadSlot.delete(this);
      this.#onCancelled?.();
    });
  }

  /** Fails a call whose request has not ended in time; closes the stream if the client then keeps sending. */
  expire(): void {
    if (this.#hasResponded) return this.#stream.close(constants.NGHTTP2_NO_ERROR);
    this.#fail(status.DEADLINE_EXCEEDED, 'Deadline exceeded');
    this.#uploadSlot = this.#expectEndWithin(lingerMs);
  }

  #expectEndWithin(ms: number): DeadlineSlot {
    return uploads.add(this, performance.now() + ms);
  }

  getDeadline(): number {
    return this.#deadline;
  }

  getPeer(): string {
    const { remoteAddress, remotePort } = this.#stream.session?.socket ?? {};
    if (remoteAddress === undefined) return 'unknown';
    return remotePort === undefined ? remoteAddress : `${remoteAddress}:${remotePort}`;
  }

  on(_event: 'cancelled', listener: () => void): this {
    this.#onCancelled = listener;
    return this;
  }

  #handle(collector: MessageCollector): void {
    // A request also ends when the client resets the stream.
    if (this.#hasResponded || this.#stream.destroyed || this.#stream.aborted) return;
    const { deserialize, handle } = this.#method;
    const received = collector.take();
    if (received.kind !== 'message') return this.#sendFailure(requestFaults[received.kind]);
    try {
      this.request = deserialize(received.bytes);
    } catch {
      return this.#fail(status.INTERNAL, 'Error deserializing request');
    }
    handle(this, (failure, response) => {
      if (failure) this.#sendFailure(failure);
      else this.#send(response as never);
    });
  }

  #send(response: never): void {
    if (this.#isOver()) return;
    let frame: Buffer;
    try {
      frame = frameOf(this.#method.serialize(response));
    } catch {
      return this.#fail(status.INTERNAL, 'Error serializing response');
    }
    this.#hasResponded = true;
    const stream = this.#stream;
    stream.respond(responseHeaders, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers(okTrailers));
    stream.end(frame);
  }

  #fail(code: status, details: string): void {
    this.#sendFailure({ code, details });
  }

  #sendFailure({ code, details = '', metadata }: Failure): void {
    if (this.#isOver()) return;
    this.#hasResponded = true;
    this.#stream.respond(
      {
        'grpc-status': code ?? status.UNKNOWN,
        'grpc-message': encodeMessage(details),
        ...responseHeaders,
        ...metadata?.toHttp2Headers(),
      },
      { endStream: true },
    );
    // Whatever the client still sends is discarded.
    this.#stream.resume();
  }

  #isOver(): boolean {
    return this.#hasResponded || this.#stream.destroyed || this.#stream.closed;
  }
}

/** Encodes a message; replaces half a surrogate pair, which cannot be encoded. */
function encodeMessage(details: string): string {
  return encodeURI(Buffer.from(details).toString());
}

/** Protocol headers, which are not metadata. */
const protocolHeaders = [
  'accept-encoding',
  'content-type',
  'grpc-accept-encoding',
  'grpc-encoding',
  'grpc-timeout',
  'te',
];

/** Reads the headers of a call as metadata, and converts only those that are read. */
class HeaderValues implements CallHeaders {
  constructor(private readonly headers: IncomingHttpHeaders) {}

  get(key: string): string[] {
    const value = this.headers[key];
    if (value === undefined) return [];
    return Array.isArray(value) ? value : [value];
  }

  getMap(): Record<string, string | Buffer> {
    const metadata = Metadata.fromHttp2Headers(this.headers);
    for (const key of protocolHeaders) metadata.remove(key);
    return metadata.getMap();
  }
}

/** Returns undefined if the text is not a valid timeout. */
function parseTimeout(text: string): number | undefined {
  const [, amount, unit] = timeoutPattern.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * unitMs[unit as keyof typeof unitMs];
}
