import { Counter } from 'prom-client';
import type { ServiceKit } from '@daycare/service-kit';
import type { CallUsage } from '../agents';

/**
 * Counts model calls, their tokens and their cost, by model. `labelOf` must have few results: users can choose models
 * that do not exist.
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
    help: 'Tokens of model calls; cached input is part of the input',
    labelNames: ['model', 'kind'] as const,
    registers,
  });
  const cost = new Counter({
    name: 'daycare_model_cost_micros_total',
    help: 'Cost of model calls in millionths of the currency',
    labelNames: ['model'] as const,
    registers,
  });
  return ({ failedCalls, inputTokens, outputTokens, cachedInputTokens, costMicros, ...call }) => {
    const model = labelOf(call.model);
    calls.inc({ model, outcome: failedCalls ? 'failed' : 'answered' });
    tokens.inc({ model, kind: 'input' }, inputTokens);
    tokens.inc({ model, kind: 'output' }, outputTokens);
    tokens.inc({ model, kind: 'cached_input' }, cachedInputTokens);
    cost.inc({ model }, costMicros);
  };
}
