import { Counter, Histogram } from 'prom-client';
import type { ServiceKit } from '@daycare/service-kit';
import type { CallUsage } from '../agents';

/**
 * Counts model calls, their tokens and their cost, by model. `labelOf` must return only a few distinct labels,
 * because users can choose models that do not exist.
 */
export function recordCalls(
  { registry }: Pick<ServiceKit['metrics'], 'registry'>,
  labelOf: (model: string) => string,
): (call: CallUsage) => void {
  const registers = [registry];
  const calls = new Counter({
    name: 'daycare_model_calls_total',
    help: 'Model calls whose outcome was recorded',
    labelNames: ['model', 'outcome'] as const,
    registers,
  });
  const tokens = new Counter({
    name: 'daycare_model_tokens_total',
    help: 'Tokens used by model calls; cached input is part of the input',
    labelNames: ['model', 'kind'] as const,
    registers,
  });
  const cost = new Counter({
    name: 'daycare_model_cost_micros_total',
    help: 'Cost of model calls in millionths of the currency',
    labelNames: ['model'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'daycare_model_call_seconds',
    help: 'Time from a model call until its outcome was known',
    labelNames: ['model', 'outcome'] as const,
    buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
    registers,
  });
  return ({ failedCalls, inputTokens, outputTokens, cachedInputTokens, costMicros, ...call }) => {
    const model = labelOf(call.model);
    const outcome = failedCalls ? 'failed' : 'answered';
    calls.inc({ model, outcome });
    seconds.observe({ model, outcome }, call.latencyMs / 1_000);
    tokens.inc({ model, kind: 'input' }, inputTokens);
    tokens.inc({ model, kind: 'output' }, outputTokens);
    tokens.inc({ model, kind: 'cached_input' }, cachedInputTokens);
    cost.inc({ model }, costMicros);
  };
}
