import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { readSpendingConfig } from './spending-config';

function read(env: Record<string, string>) {
  const reader = new EnvReader(env);
  return reader.done(readSpendingConfig(reader));
}

describe('readSpendingConfig', () => {
  it('uses the defaults when no variables are set', () => {
    expect(read({})).toEqual({ prices: new Map(), currency: 'USD', answerTokens: 4_096 });
  });

  it('reads prices per model, per provider and for all models', () => {
    const { prices } = read({
      DAYCARE_MODEL_PRICES: 'openai/meta-llama/x=2:3:1, anthropic/*=4:5 ,*=0:1',
    });
    expect([...prices]).toEqual([
      ['openai/meta-llama/x', { input: 2, output: 3, cachedInput: 1 }],
      ['anthropic/*', { input: 4, output: 5, cachedInput: 4 }],
      ['*', { input: 0, output: 1, cachedInput: 0 }],
    ]);
  });

  it.each([
    [{ DAYCARE_MODEL_PRICES: 'gpt=1:2' }, 'has "gpt=1:2", but each entry must be model='],
    [{ DAYCARE_MODEL_PRICES: 'a/b=1.5:2' }, 'has "a/b=1.5:2", but each entry must be'],
    [{ DAYCARE_MODEL_PRICES: 'a/b=1' }, 'has "a/b=1", but each entry must be'],
    [{ DAYCARE_MODEL_PRICES: 'a/b=9999999999999:1' }, 'a price must be at most'],
    [{ DAYCARE_MODEL_PRICES: 'a/b=1:1,a/b=2:2' }, 'has "a/b" twice'],
    [{ DAYCARE_CURRENCY: 'dollars' }, 'DAYCARE_CURRENCY is "dollars", but must be three letters'],
    [{ DAYCARE_BUDGET_ANSWER_TOKENS: '0' }, 'DAYCARE_BUDGET_ANSWER_TOKENS is "0"'],
  ])('rejects %j', (env, problem) => {
    expect(() => read(env as unknown as Record<string, string>)).toThrow(problem);
  });
});
