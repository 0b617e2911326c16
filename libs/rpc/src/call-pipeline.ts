import { context as otel, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import type { Metadata } from '@grpc/grpc-js';
import { AppError, toAppError } from '@daycare/errors';
import type { Role } from '@daycare/contracts/access';
import { authorise } from './authorise';
import type { Authenticate, CallContext, Caller } from './call-context';
import type { Logger } from './logger';
import { splitPath } from './service-types';
import { extractTrace } from './trace-carrier';

/** How a call ended, for metrics. `code` is OK or one of Daycare's error codes. */
export interface CallOutcome {
  readonly service: string;
  readonly method: string;
  readonly code: string;
  readonly durationMs: number;
}

/** What every call of a server goes through, in one place and one pass. */
export interface CallPipeline {
  readonly authenticate: Authenticate;
  /** Throws RATE_LIMITED when the caller asks too much. */
  readonly limit: (caller: Caller, peer: string) => void;
  readonly observe: (outcome: CallOutcome) => void;
  readonly log: Logger;
  /** Bounds calls whose client set no deadline; open-ended streams are exempt. */
  readonly defaultTimeoutMs: number;
}

/** What the contract says of an RPC. */
export interface RpcFacts {
  readonly path: string;
  readonly access: readonly Role[];
  /** Streams may last; everything else has a deadline. */
  readonly openEnded: boolean;
}

/** The parts of a grpc-js server call that are the same for all four kinds. */
export interface IncomingCall {
  readonly metadata: Metadata;
  getPeer(): string;
  getDeadline(): Date | number;
  on(event: 'cancelled', listener: () => void): unknown;
}

const tracer = trace.getTracer('daycare.rpc');

/**
 * Runs one call: who calls, until when, in which trace; then the handler; then what it led to.
 * Throws an AppError only, already logged where it is ours to explain.
 */
export async function runCall<T>(
  pipeline: CallPipeline,
  rpc: RpcFacts,
  call: IncomingCall,
  work: (context: Omit<CallContext, 'flushed'>) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const { path } = rpc;
  const name = splitPath(path);
  const parent = extractTrace(call.metadata);
  const span = tracer.startSpan(path.slice(1), { kind: SpanKind.SERVER }, parent);
  const limit = limitOf(pipeline, call, rpc.openEnded);
  let code = 'OK';
  let userId: string | undefined;
  try {
    return await otel.with(trace.setSpan(parent, span), async () => {
      const caller = await identify(pipeline, rpc, call);
      if (caller.kind === 'user') userId = caller.userId;
      const { deadline, signal } = limit;
      const recheck = async (): Promise<void> => {
        await pipeline.authenticate({ method: path, metadata: call.metadata });
      };
      const { log } = pipeline;
      return limit.race(work({ method: path, caller, deadline, signal, log, recheck }));
    });
  } catch (thrown) {
    const error = toAppError(thrown);
    code = error.code;
    reportFailure(pipeline.log, { method: path, userId }, error, span);
    throw error;
  } finally {
    limit.dispose();
    span.end();
    pipeline.observe({ ...name, code, durationMs: performance.now() - startedAt });
  }
}

/**
 * Who calls, if they may. Where anyone may, a credential that does not hold is as good as none: a
 * client with an expired token can still ask for a new one.
 */
async function identify(
  pipeline: CallPipeline,
  rpc: RpcFacts,
  call: IncomingCall,
): Promise<Caller> {
  const asked = Promise.resolve(
    pipeline.authenticate({ method: rpc.path, metadata: call.metadata }),
  );
  const isOpen = rpc.access.includes('anyone');
  const caller = await asked.catch((error: unknown) => {
    // Guessing is limited like anything else that has no name.
    pipeline.limit(anonymous, call.getPeer());
    if (isOpen) return anonymous;
    throw error;
  });
  authorise(rpc.access, caller);
  pipeline.limit(caller, call.getPeer());
  return caller;
}

const anonymous: Caller = { kind: 'anonymous' };

function reportFailure(
  log: Logger,
  call: { readonly method: string; readonly userId: string | undefined },
  error: AppError,
  span: Span,
): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.code });
  const fields = { ...call, code: error.code };
  if (error.code === 'INTERNAL') log.error({ ...fields, err: error.cause ?? error }, 'call failed');
  else if (error.code === 'UNAVAILABLE') log.warn({ ...fields, err: error.cause }, 'call failed');
  else log.debug(fields, 'call refused');
}

interface Limit {
  readonly deadline: number;
  readonly signal: AbortSignal;
  race<T>(work: Promise<T>): Promise<T>;
  dispose(): void;
}

/** One abort signal for both ways a call can end early: its caller hung up, or its time is over. */
function limitOf(pipeline: CallPipeline, call: IncomingCall, openEnded: boolean): Limit {
  const asked = Number(call.getDeadline());
  const bounded = Number.isFinite(asked) || openEnded;
  const deadline = bounded ? asked : Date.now() + pipeline.defaultTimeoutMs;
  const controller = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    const { signal } = controller;
    signal.addEventListener('abort', () => reject(toAppError(signal.reason)), { once: true });
  });
  ended.catch(() => undefined);
  let isOver = false;
  const end = (makeError: () => AppError): void => {
    if (!isOver) controller.abort(makeError());
  };
  // grpc-js says `cancelled` after every call, also one that was answered.
  call.on('cancelled', () => end(cancelled));
  const timer = Number.isFinite(deadline)
    ? setTimeout(() => end(deadlineExceeded), Math.min(deadline - Date.now(), 0x7fffffff))
    : undefined;
  return {
    deadline,
    signal: controller.signal,
    race: (work) => Promise.race([work, ended]),
    dispose: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

function cancelled(): AppError {
  return new AppError('CANCELLED', 'The call was cancelled');
}

function deadlineExceeded(): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'The deadline passed before the call was answered');
}
