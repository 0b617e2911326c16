import { AppError, toAppError } from '@daycare/api';
import type { CallContext, Caller, IncomingCall } from '../shared/call-context';
import type { Logger } from '../shared/logger';
import { newTraceparent, readTraceparent, traceIdOf, unsampled } from '../shared/traceparent';
import type { BoundRpc, CallSpan } from './call-pipeline';
import type { DeadlineSlot, Expiring } from '../shared/deadlines';
import { makeCallerAddress } from './limits/caller-address';
import { connectionOf, reduceRetryAfter, isOverLimit } from './limits/flood-guard';
import type { LeaveStream } from './limits/stream-limiter';
import { logFailure } from './log-failure';
import { withFields } from './with-fields';

/** Responds to a call: with the handler's result, or with an error that has already been logged. */
export type Respond = (error: AppError | undefined, result?: unknown) => void;

type Handle = (context: ServerCall) => unknown;

const anonymous: Caller = { kind: 'anonymous' };
const connectionAddress = makeCallerAddress();
const nothingSent = async (): Promise<void> => undefined;

/**
 * One call on a server, from its start until the response: it identifies the caller, checks limits and access, runs the
 * handler, and writes log and metrics. The call ends exactly once, with whatever comes first: a refusal, the handler's
 * result or error, the deadline or the caller's cancellation. It is also the handler's context. The signal, the logger
 * and the trace, which most handlers never use, are created on first use.
 */
export class ServerCall implements CallContext, Expiring {
  caller: Caller = anonymous;
  readonly deadline: number;
  /** Set for streams before the handler runs. */
  flushed = nothingSent;
  readonly #startedAt = performance.now();
  #parentTrace: string | undefined;
  #span: CallSpan | undefined;
  readonly #deadlineSlot: DeadlineSlot | undefined;
  #traceparent: string | undefined;
  #log: Logger | undefined;
  #abort: AbortController | undefined;
  /** Why the call ended before its handler did. */
  #endedBy: AppError | undefined;
  #isOver = false;
  #leaveStream: LeaveStream | undefined;

  /** `sessionId` is the session to which the call belongs, if the method's calls are limited per session. */
  constructor(
    private readonly rpc: BoundRpc,
    private readonly call: IncomingCall,
    private readonly respond: Respond,
    private readonly sessionId?: string,
  ) {
    const { pipeline } = rpc;
    this.#parentTrace = readTraceparent(call.metadata);
    const requested = Number(call.getDeadline());
    const now = Date.now();
    const usesDefaultTimeout = requested === Infinity && !rpc.openEnded;
    this.deadline = usesDefaultTimeout ? now + pipeline.defaultTimeoutMs : requested;
    if (this.deadline !== Infinity) {
      this.#deadlineSlot = rpc.deadlines.add(this, this.#startedAt + this.deadline - now);
    }
    // grpc-js emits `cancelled` after every call, even a completed one.
    call.on('cancelled', () => this.#cancel());
  }

  get method(): string {
    return this.rpc.path;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#endedBy) this.#abort.abort(this.#endedBy);
    }
    return this.#abort.signal;
  }

  get log(): Logger {
    this.#log ??= withFields(this.rpc.pipeline.log, () => this.#fields());
    return this.#log;
  }

  get traceparent(): string {
    this.#traceparent ??= this.#span?.traceparent ?? this.#parentTrace ?? newTraceparent();
    return this.#traceparent;
  }

  get recheck(): () => Promise<void> {
    return async () => {
      await this.rpc.pipeline.authenticate(this.call, this.rpc.path);
    };
  }

  get address(): string {
    return (this.rpc.pipeline.addressOf ?? connectionAddress)(this.call);
  }

  get limit(): () => void {
    return () => this.#limit(this.caller);
  }

  /** Runs the handler as soon as the caller is known and allowed to call. */
  run(handle: Handle): void {
    let caller: Caller | Promise<Caller>;
    try {
      caller = this.rpc.pipeline.authenticate(this.call, this.rpc.path);
    } catch (error) {
      this.#handleUnidentified(handle, error);
      return;
    }
    if (!isPromise(caller)) this.#handle(handle, caller);
    else {
      caller.then(
        (identified) => this.#handle(handle, identified),
        (error: unknown) => this.#handleUnidentified(handle, error),
      );
    }
  }

  /**
   * If anyone may call the method, an invalid credential is ignored, so that a client with an expired token can still
   * request a new one.
   */
  #handleUnidentified(handle: Handle, error: unknown): void {
    if (this.rpc.isOpen) {
      this.#handle(handle, anonymous);
      return;
    }
    // Limits how fast credentials can be guessed.
    if (this.#isWithinLimit(anonymous)) this.#fail(error);
  }

  #limit(caller: Caller): void {
    const { pipeline, limits } = this.rpc;
    if (limits.isProbe) return;
    pipeline.limit(caller, this.call, this.sessionId);
  }

  /** Refuses a call that exceeds a limit, after a delay if its connection floods the service. */
  #refuse(error: unknown): void {
    const refusal = toAppError(error);
    const { floodGuard } = this.rpc.pipeline;
    const send = (heldMs: number): void => this.#finish(reduceRetryAfter(refusal, heldMs));
    if (floodGuard && isOverLimit(refusal))
      floodGuard.refuse(connectionOf(this.call), this.deadline, send);
    else send(0);
  }

  #isWithinLimit(caller: Caller): boolean {
    try {
      this.#limit(caller);
      return true;
    } catch (error) {
      this.#refuse(error);
      return false;
    }
  }

  #tryEnterStream(caller: Caller): boolean {
    try {
      this.#leaveStream = this.rpc.pipeline.enterStream?.(caller, this.call);
      return true;
    } catch (error) {
      this.#refuse(error);
      return false;
    }
  }

  #handle(handle: Handle, caller: Caller): void {
    if (this.#isOver) return;
    this.rpc.pipeline.floodGuard?.noteCaller(connectionOf(this.call), caller);
    // Limits are checked before access, because refusing a call that is not allowed costs something, too.
    if (!this.#isWithinLimit(caller)) return;
    let result: unknown;
    try {
      this.rpc.authorise(caller);
      this.caller = caller;
      if (this.rpc.openEnded && !this.#tryEnterStream(caller)) return;
      this.#startTrace(caller);
      result = handle(this);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (!isPromise(result)) this.#finish(undefined, result);
    else {
      result.then(
        (settled) => this.#finish(undefined, settled),
        (error: unknown) => this.#fail(error),
      );
    }
  }

  /** Only services may decide whether a trace is sampled; otherwise, anyone could have all traces exported. */
  #startTrace(caller: Caller): void {
    const { pipeline, spanName } = this.rpc;
    const parent = this.#parentTrace;
    const isCallersChoice =
      parent !== undefined &&
      (caller.kind === 'service' || (caller.kind === 'user' && caller.via !== undefined));
    if (parent !== undefined && !isCallersChoice) this.#parentTrace = unsampled(parent);
    this.#span = pipeline.startSpan?.(spanName, { parent, isCallersChoice });
  }

  expire(): void {
    this.#endEarly(
      new AppError('DEADLINE_EXCEEDED', 'The deadline passed before the call was answered'),
    );
  }

  #cancel(): void {
    if (this.#isOver) return;
    // grpc-js also ends a call at its deadline, possibly just before we do.
    if (Date.now() >= this.deadline) this.expire();
    else this.#endEarly(new AppError('CANCELLED', 'The call was cancelled'));
  }

  /** Ends the call immediately; the handler is notified by its signal, and its result is ignored. */
  #endEarly(error: AppError): void {
    if (this.#isOver) return;
    this.#endedBy = error;
    this.#abort?.abort(error);
    this.#finish(error);
  }

  #fail(error: unknown): void {
    this.#finish(toAppError(error));
  }

  #finish(error: AppError | undefined, result?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadlineSlot?.delete(this);
    this.#leaveStream?.();
    if (error) logFailure(this.log, error);
    this.#span?.end(error?.code);
    const { pipeline, name } = this.rpc;
    const durationMs = performance.now() - this.#startedAt;
    pipeline.observe({
      service: name.service,
      method: name.method,
      code: error?.code ?? 'OK',
      durationMs,
    });
    this.respond(error, result);
  }

  #fields(): object {
    const { caller } = this;
    const userId = caller.kind === 'user' ? caller.userId : undefined;
    return { traceId: traceIdOf(this.traceparent), method: this.method, userId };
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === 'function';
}
