import { Counter } from 'prom-client';
import type { ServiceKit } from '@daycare/service-kit';
import type { CallUsage } from '../agents';

/** Counts model calls, their tokens and their cost, by model. */
export function recordCalls({
  registry,
}: Pick<ServiceKit['metrics'], 'registry'>): (call: CallUsage) => void {
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
  return ({ model, failedCalls, inputTokens, outputTokens, cachedInputTokens, costMicros }) => {
    calls.inc({ model, outcome: failedCalls ? 'failed' : 'answered' });
    tokens.inc({ model, kind: 'input' }, inputTokens);
    tokens.inc({ model, kind: 'output' }, outputTokens);
    tokens.inc({ model, kind: 'cached_input' }, cachedInputTokens);
    cost.inc({ model }, costMicros);
  };
}
