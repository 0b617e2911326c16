import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { imageRulesOf, scaledTo } from './image-rules';

const capabilities = { images: true, tools: true, parallelTools: true, reasoning: false };
const rulesOf = (provider: string, id: string) => imageRulesOf({ provider, id, capabilities })!;
const tokens = (provider: string, id: string, width: number, height: number): number => {
  const rules = rulesOf(provider, id);
  return rules.tokensOf(scaledTo(rules, { width, height }));
};

describe('imageRulesOf', () => {
  it('a model that cannot see images has no image rules', () => {
    const blind = { provider: 'openai', id: 'x', capabilities: { ...capabilities, images: false } };
    expect(imageRulesOf(blind)).toBeUndefined();
  });

  it.each([
    ['anthropic', 'claude-sonnet-5', 1_000, 1_000, 1_334],
    ['anthropic', 'claude-sonnet-5', 200, 200, 54],
    ['anthropic', 'claude-sonnet-5', 8_000, 6_000, 1_600],
    ['openai', 'gpt-4o', 1_024, 1_024, 85 + 170 * 4],
    ['openai', 'gpt-4o', 512, 512, 85 + 170],
    ['openai', 'gpt-4o-mini', 1_024, 1_024, 2_833 + 5_667 * 4],
    ['openai', 'gpt-4.1-nano', 1_024, 1_024, Math.ceil(1_024 * 2.46)],
    ['openai', 'gpt-5.4-mini', 1_024, 1_024, Math.ceil(1_024 * 1.62)],
    ['google', 'gemini-2.5-flash', 1_536, 1_536, 1_120],
    ['llava', 'any', 64, 64, 800],
    ['llava', 'any', 4_000, 4_000, Math.ceil((1_024 * 1_024) / 400)],
  ])(
    '%s/%s counts an image of %d × %d pixels as about %d tokens',
    (provider, id, width, height, expected) => {
      expect(Math.abs(tokens(provider, id, width, height) - expected)).toBeLessThanOrEqual(5);
    },
  );
});

describe('scaledTo', () => {
  it('every scaled image fits, keeps at least one pixel per side, is never enlarged and counts as at most 1.5 times as many tokens as the largest square', () => {
    const side = fc.integer({ min: 1, max: 100_000 });
    const names = fc.constantFrom('anthropic', 'openai', 'google', 'other');
    fc.assert(
      fc.property(side, side, names, (width, height, provider) => {
        const rules = rulesOf(provider, 'gpt-9');
        const scaled = scaledTo(rules, { width, height });
        expect(Math.max(scaled.width, scaled.height)).toBeLessThanOrEqual(rules.maxEdge);
        expect(scaled.width * scaled.height).toBeLessThanOrEqual(rules.maxPixels);
        expect(scaled.width).toBeLessThanOrEqual(width);
        expect(scaled.height).toBeLessThanOrEqual(height);
        expect(Math.min(scaled.width, scaled.height)).toBeGreaterThanOrEqual(1);
        const largestSquare = rules.tokensOf(scaledTo(rules));
        expect(rules.tokensOf(scaled)).toBeLessThanOrEqual(largestSquare * 1.5);
      }),
    );
  });

  it('an image of unknown dimensions is assumed to be as large as possible', () => {
    const rules = rulesOf('anthropic', 'claude');
    expect(rules.tokensOf(scaledTo(rules))).toBeGreaterThanOrEqual(1_590);
  });
});
