import {
  constants,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { status } from '@grpc/grpc-js';
import { Deadlines, type DeadlineSlot, type Expiring } from '../../shared/deadlines';
import { MessageCollector } from '../../shared/wire/one-message';
import type { ActiveCall, Connection } from './find-route';
import { statusIn, statusOfHttp, statusOfReset, type CallStatus } from './stream-status';

export interface DirectRequest {
  readonly headers: OutgoingHttpHeaders;
  /** The request as it is sent, with the prefix that gRPC requires. */
  readonly frame: Buffer;
  /** In epoch milliseconds. */
  readonly deadline: number;
  readonly maxResponseBytes: number;
}

/** How a call ended: with the bytes of the response, or with a status that is not OK. */
export type DirectOutcome =
  | { readonly response: Buffer }
  | {
      readonly failure: CallStatus;
      /**
       * Whether the peer had begun to respond before the call failed; false if its response was nothing but the
       * failure status, because such a call may be retried.
       */
      readonly hasResponded: boolean;
      /** Whether it is certain that the peer has not handled the request. */
      readonly isRefused: boolean;
    };

const deadlines = new Deadlines();
const droppedStatus: CallStatus = { code: status.UNAVAILABLE, details: 'Connection dropped' };
const severalMessages: CallStatus = {
  code: status.UNIMPLEMENTED,
  details: 'Too many responses received',
};
/** The reset codes that say why a stream was closed, even if its connection has been lost as well. */
const codesWithOwnStatus: ReadonlySet<number> = new Set([
  constants.NGHTTP2_REFUSED_STREAM,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
  constants.NGHTTP2_INADEQUATE_SECURITY,
]);

/** A call with one request and one response, made directly on a connection's HTTP/2 session. */
export class DirectCall implements ActiveCall, Expiring {
  readonly #connection: Connection;
  readonly #stream: ClientHttp2Stream;
  readonly #collector: MessageCollector;
  readonly #deadlineSlot: DeadlineSlot | undefined;
  readonly #done: (outcome: DirectOutcome) => void;
  #httpStatus: number | undefined;
  #status: CallStatus | undefined;
  #error: NodeJS.ErrnoException | undefined;
  #isRead = false;
  #isDone = false;

  /**
   * Throws if the session accepts no more requests; otherwise, `done` is called exactly once, after the constructor has
   * returned.
   */
  constructor(
    connection: Connection,
    { headers, frame, deadline, maxResponseBytes }: DirectRequest,
    done: (outcome: DirectOutcome) => void,
  ) {
    this.#connection = connection;
    this.#done = done;
    this.#collector = new MessageCollector(maxResponseBytes);
    const stream = connection.session.request(headers);
    this.#stream = stream;
    connection.addActiveCall(this);
    if (deadline !== Infinity)
      this.#deadlineSlot = deadlines.add(this, performance.now() + deadline - Date.now());
    stream.on('response', (received, flags) => this.#receiveHeaders(received, flags));
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('trailers', (trailers: IncomingHttpHeaders) =>
      this.#receiveStatus(statusIn(trailers, this.#httpStatus)),
    );
    stream.on('end', () => {
      this.#isRead = true;
      this.#finishIfComplete();
    });
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Errors with this code only repeat the code with which the stream was closed.
      if (error.code !== 'ERR_HTTP2_STREAM_ERROR') this.#error = error;
    });
    // An error that caused the close is emitted just before or just after the close.
    stream.on('close', () => process.nextTick(() => this.#handleClose()));
    stream.end(frame);
  }

  cancel(): void {
    this.#abort({ code: status.CANCELLED, details: 'Cancelled on client' });
  }

  expire(): void {
    this.#abort({ code: status.DEADLINE_EXCEEDED, details: 'Deadline exceeded' });
  }

  /** Ends the call, but only after data that has already arrived has been read. */
  onDisconnect(): void {
    setImmediate(() => this.#abort(droppedStatus));
  }

  #receiveHeaders(
    headers: IncomingHttpHeaders & { readonly ':status'?: number | undefined },
    flags: number,
  ): void {
    this.#httpStatus = headers[':status'];
    const isTrailersOnly = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (isTrailersOnly) this.#receiveStatus(statusIn(headers, this.#httpStatus), false);
  }

  #receive(chunk: Buffer): void {
    if (this.#isDone) return;
    const problem = this.#collector.add(chunk);
    if (problem === undefined) return;
    const isGrpc = this.#httpStatus === undefined || this.#httpStatus === 200;
    if (!isGrpc) this.#abort(statusOfHttp(this.#httpStatus ?? 0));
    else if (problem.kind === 'several') this.#abort(severalMessages);
    else this.#abort({ code: status.RESOURCE_EXHAUSTED, details: problem.details });
  }

  #receiveStatus(received: CallStatus, hasHeaders = true): void {
    this.#status = received;
    if (received.code === status.OK) this.#finishIfComplete();
    else this.#fail(received, { hasResponded: hasHeaders });
  }

  #finishIfComplete(): void {
    if (!this.#isRead || this.#status?.code !== status.OK) return;
    const received = this.#collector.take();
    if (received.kind === 'message') return this.#finish({ response: received.bytes });
    const details = {
      none: 'expected a single message, but received none',
      compressed: 'Received a compressed message, but this client does not support compression',
    }[received.kind];
    this.#fail({ code: status.UNIMPLEMENTED, details }, { hasResponded: true });
  }

  #handleClose(): void {
    if (this.#isDone) return;
    const { rstCode } = this.#stream;
    const hasResponded = this.#httpStatus !== undefined;
    const isRefused = rstCode === constants.NGHTTP2_REFUSED_STREAM;
    this.#fail(this.#statusOfClosed(rstCode), { hasResponded, isRefused });
  }

  #statusOfClosed(rstCode: number): CallStatus {
    // Node closes the streams of a lost connection as if they had been cancelled.
    if (this.#connection.session.destroyed && !codesWithOwnStatus.has(rstCode))
      return droppedStatus;
    const isNotFromGrpc = rstCode === constants.NGHTTP2_NO_ERROR && this.#httpStatus !== 200;
    return isNotFromGrpc && this.#httpStatus !== undefined
      ? statusOfHttp(this.#httpStatus)
      : statusOfReset(rstCode, this.#error);
  }

  #abort(failure: CallStatus): void {
    if (this.#isDone) return;
    this.#fail(failure, { hasResponded: this.#httpStatus !== undefined });
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  #fail(
    failure: CallStatus,
    { hasResponded, isRefused = false }: { hasResponded: boolean; isRefused?: boolean },
  ): void {
    this.#finish({ failure, hasResponded, isRefused });
  }

  #finish(outcome: DirectOutcome): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#deadlineSlot?.delete(this);
    this.#connection.removeActiveCall(this);
    // Unread data would keep the stream open.
    this.#stream.resume();
    this.#done(outcome);
  }
}
