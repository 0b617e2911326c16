import { describe, expect, it } from '@jest/globals';
import { knownModels } from './known-models';
import { ModelCatalogue } from './model-catalogue';
import { nameOf, parseModelName } from './model-entry';

const haiku = { provider: 'anthropic', id: 'claude-haiku-4-5' };

describe('ModelCatalogue', () => {
  const catalogue = new ModelCatalogue();

  it('knows a model’s context window, output limit, capabilities and prices', () => {
    expect(catalogue.resolve(haiku)).toEqual({
      ...haiku,
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      capabilities: { images: true, tools: true, parallelTools: true, reasoning: true },
      prices: { input: 1_000_000, output: 5_000_000, cachedInput: 100_000 },
    });
  });

  it.each(['claude-haiku-4-5-20251001', 'claude-haiku-4-5-2025-10-01', 'claude-haiku-4-5-latest'])(
    'recognises %s as claude-haiku-4-5',
    (id) => {
      const { prices, ...dated } = catalogue.resolve({ provider: 'anthropic', id });
      expect(dated).toMatchObject({ id, maxOutputTokens: 64_000 });
      expect(prices).toEqual(catalogue.resolve(haiku).prices);
    },
  );

  it('assumes low limits and few capabilities for an unknown model of Ollama, and that it is free', () => {
    expect(catalogue.resolve({ provider: 'ollama', id: 'llama9' })).toEqual({
      provider: 'ollama',
      id: 'llama9',
      contextWindow: 32_768,
      maxOutputTokens: 4_096,
      capabilities: { images: false, tools: true, parallelTools: false, reasoning: false },
      prices: { input: 0, output: 0, cachedInput: 0 },
    });
  });

  it('assumes that a vendor’s unknown model can do what all of its current models can', () => {
    expect(catalogue.resolve({ provider: 'openai', id: 'gpt-99' })).toMatchObject({
      contextWindow: 128_000,
      capabilities: { images: true, parallelTools: true },
    });
  });

  it('lets the operator describe a model and correct a known one', () => {
    const descriptions = new Map([
      ['ollama/llama9', { contextWindow: 8_192, capabilities: { images: true } }],
      [nameOf(haiku), { prices: { input: 1, output: 2, cachedInput: 1 } }],
    ]);
    const extended = new ModelCatalogue({ descriptions: () => [descriptions] });
    expect(extended.resolve({ provider: 'ollama', id: 'llama9' })).toMatchObject({
      contextWindow: 8_192,
      maxOutputTokens: 4_096,
      capabilities: { images: true, tools: true },
    });
    expect(extended.resolve(haiku)).toMatchObject({
      contextWindow: 200_000,
      prices: { output: 2 },
    });
    expect(extended.list('ollama').map(nameOf)).toEqual(['ollama/llama9']);
  });

  it('merges descriptions of a model from several sources; the first source takes precedence', () => {
    const added = new Map([['own/m', { capabilities: { images: true } }]]);
    const description = { contextWindow: 9_000, capabilities: { images: false, reasoning: true } };
    const configured = new Map([['own/m', description]]);
    const extended = new ModelCatalogue({ descriptions: () => [added, configured] });
    expect(extended.resolve({ provider: 'own', id: 'm' })).toMatchObject({
      contextWindow: 9_000,
      capabilities: { images: true, reasoning: true },
    });
  });

  it('prices in dollars are not used as prices in another currency', () => {
    const { prices } = new ModelCatalogue({ currency: 'EUR' }).resolve(haiku);
    expect(prices).toBeUndefined();
  });

  it('unknown models have no price, except that those of Ollama are free; local/echo is free in any currency', () => {
    expect(catalogue.priceOf('groq/llama9')).toBeUndefined();
    expect(catalogue.priceOf('openai/gpt-99')).toBeUndefined();
    const free = { input: 0, output: 0, cachedInput: 0 };
    expect(catalogue.priceOf('ollama/llama9')).toEqual(free);
    expect(new ModelCatalogue({ currency: 'EUR' }).priceOf('local/echo')).toEqual(free);
  });

  it('resolves models in the order in which they were chosen', () => {
    const choices = [haiku, { provider: 'local', id: 'echo' }];
    expect(catalogue.resolveModels(choices).map(nameOf)).toEqual(choices.map(nameOf));
  });
});

describe('knownModels', () => {
  it.each([...knownModels])(
    'the known model %s has a valid name, and consistent limits and prices',
    (name, facts) => {
      expect(parseModelName(name)).toBeDefined();
      expect(facts.maxOutputTokens).toBeLessThanOrEqual(facts.contextWindow);
      expect(facts.prices!.cachedInput).toBeLessThanOrEqual(facts.prices!.input);
      expect(Object.values(facts.prices!).every(Number.isSafeInteger)).toBe(true);
    },
  );
});

describe('parseModelName', () => {
  it.each([
    ['openai/gpt-4o', { provider: 'openai', id: 'gpt-4o' }],
    ['together/meta-llama/Llama-3', { provider: 'together', id: 'meta-llama/Llama-3' }],
    ['gpt-4o', undefined],
    ['openai/', undefined],
    ['/x', undefined],
    ['Open AI/x', undefined],
    ['openai/two words', undefined],
  ])('reads the model name %j as %j', (text, name) => {
    expect(parseModelName(text)).toEqual(name);
  });
});
