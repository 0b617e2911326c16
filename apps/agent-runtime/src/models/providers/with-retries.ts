import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs } from '@daycare/async';
import { AppError, genericMessage, type ErrorCode } from '@daycare/api';
import type { ModelAnswer, ModelProvider, ModelRequest } from './model-provider';
import { ProviderError } from './provider-error';

export interface RetryDeps {
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Rejects when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly log?: { warn(fields: object, text: string): void };
}

/**
 * How many times a call is retried, and how long it waits in between. During longer outages, the turn
 * itself is postponed instead.
 */
export const retryLimits = { retries: 3, firstMs: 500, maxMs: 2_000, maxRetryAfterMs: 2_000 };

const transientCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED']);

/**
 * Makes a provider retry calls after transient failures. Each retry waits for as long as the provider asks, plus a
 * random share of a growing delay, so that calls that failed together are not retried together.
 */
export function withRetries(provider: ModelProvider, deps: RetryDeps = {}): ModelProvider {
  const { name } = provider;
  return {
    name,
    async answer(request) {
      for (let failures = 0; ; failures += 1) {
        try {
          return await attempt(provider, request);
        } catch (error) {
          await pause(error, failures, request.signal, name, deps);
        }
        request.onRestart?.();
      }
    },
  };
}

/** Drops deltas that arrive late, so that nothing from a failed attempt gets into the next one. */
async function attempt(provider: ModelProvider, request: ModelRequest): Promise<ModelAnswer> {
  let isRunning = true;
  const onDelta = (text: string): void => {
    if (isRunning) request.onDelta(text);
  };
  try {
    return await provider.answer({ ...request, onDelta });
  } finally {
    isRunning = false;
  }
}

/** Resolves when it is time to retry; throws the error if there is no retry, and CANCELLED if the wait is aborted. */
async function pause(
  error: unknown,
  failures: number,
  signal: AbortSignal,
  provider: string,
  { random = Math.random, sleep = sleepOrAbort, log }: RetryDeps,
): Promise<void> {
  const waitMs = signal.aborted ? undefined : delayOf(error, failures, random);
  if (waitMs === undefined) throw error;
  log?.warn(
    { err: error, provider, failures: failures + 1, waitMs },
    'model request failed; retrying',
  );
  try {
    await sleep(waitMs, signal);
  } catch (cause) {
    throw new AppError('CANCELLED', genericMessage('CANCELLED'), {}, { cause });
  }
}

/**
 * Returns undefined when there is no retry: the failure is not transient, `retries` are used up, the provider requests
 * a delay of more than `maxRetryAfterMs`, or the call has taken minutes (`slow`). The caller then decides what to do.
 */
function delayOf(error: unknown, failures: number, random: () => number): number | undefined {
  if (!(error instanceof AppError) || !transientCodes.has(error.code)) return undefined;
  if (error instanceof ProviderError && error.verdict === 'slow') return undefined;
  const { retryAfterMs = 0 } = error.details;
  if (failures >= retryLimits.retries || retryAfterMs > retryLimits.maxRetryAfterMs)
    return undefined;
  return (
    retryAfterMs + Math.round(backoffMs(failures + 1, { ...retryLimits, jitter: 1 }, random()))
  );
}

async function sleepOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
