import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { costOf, priceOf, type Price } from './price';

const price: Price = { input: 3_000_000, output: 15_000_000, cachedInput: 300_000 };
const tokens = fc.integer({ min: 0, max: 10_000_000 });
const amounts = fc.integer({ min: 0, max: 1_000_000_000_000 });
const prices = fc.record({ input: amounts, output: amounts, cachedInput: amounts });
const usages = fc.record({ inputTokens: tokens, outputTokens: tokens, cachedInputTokens: tokens });

describe('costOf', () => {
  it('the cost of a call adds up input, cached input and output', () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 };
    expect(costOf(usage, price)).toBe(600 * 3 + 120 + 1_500);
  });

  it('the cost of a call is rounded up, so that no token is free if tokens have a price', () => {
    const usage = { inputTokens: 1, outputTokens: 0, cachedInputTokens: 0 };
    expect(costOf(usage, { input: 1, output: 1, cachedInput: 1 })).toBe(1);
  });

  it('the cost of a call is the exact sum rounded up to a whole number, is never negative, and is capped at the largest safe integer', () => {
    fc.assert(
      fc.property(usages, prices, (usage, anyPrice) => {
        const cost = costOf(usage, anyPrice);
        expect(Number.isSafeInteger(cost) && cost >= 0).toBe(true);
        const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
        const exact =
          BigInt(usage.inputTokens - cached) * BigInt(anyPrice.input) +
          BigInt(cached) * BigInt(anyPrice.cachedInput) +
          BigInt(usage.outputTokens) * BigInt(anyPrice.output);
        const above = BigInt(cost) * 1_000_000n - exact;
        expect(cost === Number.MAX_SAFE_INTEGER || (above >= 0n && above < 1_000_000n)).toBe(true);
      }),
    );
  });

  it('two calls never cost less than one with the tokens of both', () => {
    fc.assert(
      fc.property(tokens, tokens, prices, (one, other, anyPrice) => {
        const output = (outputTokens: number) =>
          costOf({ inputTokens: 0, outputTokens, cachedInputTokens: 0 }, anyPrice);
        const both = output(one + other);
        expect(both === Number.MAX_SAFE_INTEGER || output(one) + output(other) >= both).toBe(true);
      }),
    );
  });
});

describe('priceOf', () => {
  const own = { input: 1, output: 1, cachedInput: 1 };
  const all = new Map([
    ['openai/gpt', own],
    ['openai/*', { ...own, input: 2 }],
    ['*', { ...own, input: 3 }],
  ]);

  it.each([
    ['openai/gpt', 1],
    ['openai/meta/other', 2],
    ['anthropic/any', 3],
  ])('uses the most specific price for the model %s', (model, input) => {
    expect(priceOf(all, model)?.input).toBe(input);
  });

  it('a model that is not on the price list has no price', () => {
    expect(priceOf(new Map(), 'groq/llama')).toBeUndefined();
    expect(costOf({ inputTokens: 9, outputTokens: 9, cachedInputTokens: 0 }, undefined)).toBe(0);
  });
});
