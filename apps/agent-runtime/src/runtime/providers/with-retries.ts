import { setTimeout as wait } from 'node:timers/promises';
import { AppError, blandTextOf, type ErrorCode } from '@daycare/errors';
import type { ModelAnswer, ModelProvider, ModelRequest } from '../model-provider';

export interface RetryParts {
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Rejects when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly log?: { warn(fields: object, text: string): void };
}

/** How often a call is tried again, and the longest it waits for that. */
export const retryLimits = { retries: 3, firstMs: 500, maxMs: 8_000, maxRetryAfterMs: 30_000 };

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED']);

/**
 * The same provider, tried again after failures that pass by themselves. It waits for a random part of
 * a growing time, so that what failed together does not come back together.
 */
export function withRetries(provider: ModelProvider, parts: RetryParts = {}): ModelProvider {
  const { name, defaultModel } = provider;
  return {
    name,
    defaultModel,
    async answer(request) {
      for (let failures = 0; ; failures += 1) {
        try {
          return await attempt(provider, request);
        } catch (error) {
          await pause(error, failures, request.signal, name, parts);
        }
        request.onRestart?.();
      }
    },
  };
}

/** Its pieces end with it: nothing of a failed attempt gets into the next one. */
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

/** Returns when it is time to try again; throws when there is no point in that. */
async function pause(
  error: unknown,
  failures: number,
  signal: AbortSignal,
  provider: string,
  { random = Math.random, sleep = sleepUnlessAborted, log }: RetryParts,
): Promise<void> {
  const waitMs = signal.aborted ? undefined : delayOf(error, failures, random);
  if (waitMs === undefined) throw error;
  log?.warn({ err: error, provider, failures: failures + 1, waitMs }, 'a model is asked again');
  try {
    await sleep(waitMs, signal);
  } catch (cause) {
    throw new AppError('CANCELLED', blandTextOf('CANCELLED'), {}, { cause });
  }
}

/** A provider that wants to be left alone for longer is not waited for: that is for whoever asked. */
function delayOf(error: unknown, failures: number, random: () => number): number | undefined {
  if (!(error instanceof AppError) || !passing.has(error.code)) return undefined;
  const { retryAfterMs = 0 } = error.details;
  if (failures >= retryLimits.retries || retryAfterMs > retryLimits.maxRetryAfterMs)
    return undefined;
  const ceilingMs = Math.min(retryLimits.maxMs, retryLimits.firstMs * 2 ** failures);
  return retryAfterMs + Math.round(random() * ceilingMs);
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
