import type { ModelCapabilities, ModelFacts, ModelPrices } from './model-entry';

const thinking: ModelCapabilities = {
  images: true,
  tools: true,
  parallelTools: true,
  reasoning: true,
};
const plain: ModelCapabilities = { ...thinking, reasoning: false };
const free: ModelPrices = { input: 0, output: 0, cachedInput: 0 };

/** Reports whether a model is known to be free, whatever the currency. */
export function isFree(prices: ModelPrices | undefined): boolean {
  return prices !== undefined && Object.values(prices).every((price) => price === 0);
}

/** Converts prices in dollars per million tokens, as the vendors publish them. */
function dollars(input: number, output: number, cachedInput: number): ModelPrices {
  const micros = (amount: number): number => Math.round(amount * 1_000_000);
  return { input: micros(input), output: micros(output), cachedInput: micros(cachedInput) };
}

/**
 * One model. While `local/echo` is in use, the CLI suggests the model in the first row of the first provider that is
 * available.
 */
type Row = readonly [
  id: string,
  contextWindow: number,
  maxOutputTokens: number,
  capabilities: ModelCapabilities,
  prices: ModelPrices,
];

const anthropic: readonly Row[] = [
  ['claude-sonnet-5-5', 1_000_000, 128_000, thinking, dollars(2, 10, 0.1)],
  ['claude-fable-5-1', 1_000_000, 128_000, thinking, dollars(10, 50, 1)],
  ['claude-opus-5-5', 1_000_000, 128_000, thinking, dollars(4, 20, 0.4)],
  ['claude-opus-5', 1_000_000, 128_000, thinking, dollars(5, 25, 0.5)],
  ['claude-sonnet-5', 1_000_000, 128_000, thinking, dollars(2, 10, 0.2)],
  ['claude-haiku-5-5', 100_000, 64_000, thinking, dollars(0.1, 0.5, 0.01)],
  ['claude-opus-4-5', 200_000, 64_000, thinking, dollars(5, 25, 0.5)],
  ['claude-sonnet-4-6', 200_000, 64_000, thinking, dollars(3, 15, 0.3)],
  ['claude-sonnet-4-5', 200_000, 64_000, thinking, dollars(3, 15, 0.3)],
  ['claude-haiku-4-5', 200_000, 64_000, thinking, dollars(1, 5, 0.1)],
];

const openai: readonly Row[] = [
  ['gpt-5.4-mini', 400_000, 128_000, thinking, dollars(0.75, 4.5, 0.075)],
  ['gpt-5.5', 272_000, 128_000, thinking, dollars(5, 30, 0.5)],
  ['gpt-5.4', 272_000, 128_000, thinking, dollars(2.5, 15, 0.25)],
  ['gpt-5.4-nano', 400_000, 128_000, thinking, dollars(0.2, 1.25, 0.02)],
  ['gpt-5.2', 400_000, 128_000, thinking, dollars(1.75, 14, 0.175)],
  ['gpt-5.1', 400_000, 128_000, thinking, dollars(1.25, 10, 0.125)],
  ['gpt-5', 400_000, 128_000, thinking, dollars(1.25, 10, 0.125)],
  ['gpt-5-mini', 400_000, 128_000, thinking, dollars(0.25, 2, 0.025)],
  ['gpt-5-nano', 400_000, 128_000, thinking, dollars(0.05, 0.4, 0.005)],
  ['gpt-4.1', 1_047_576, 32_768, plain, dollars(2, 8, 0.5)],
  ['gpt-4.1-mini', 1_047_576, 32_768, plain, dollars(0.4, 1.6, 0.1)],
  ['gpt-4.1-nano', 1_047_576, 32_768, plain, dollars(0.1, 0.4, 0.025)],
  ['gpt-4o', 128_000, 16_384, plain, dollars(2.5, 10, 1.25)],
  ['gpt-4o-mini', 128_000, 16_384, plain, dollars(0.15, 0.6, 0.075)],
  ['o3', 200_000, 100_000, thinking, dollars(2, 8, 0.5)],
  ['o4-mini', 200_000, 100_000, thinking, dollars(1.1, 4.4, 0.275)],
];

const google: readonly Row[] = [
  ['gemini-3.8-flash', 1_000_000, 65_536, thinking, dollars(0.75, 3.75, 0.075)],
  ['gemini-3.6-flash', 1_048_576, 65_536, thinking, dollars(1.5, 7.5, 0.15)],
  ['gemini-3.5-flash-lite', 1_048_576, 65_536, thinking, dollars(0.3, 2.5, 0.03)],
  ['gemini-3.1-pro-preview', 200_000, 65_536, thinking, dollars(2, 12, 0.2)],
  ['gemini-2.5-pro', 200_000, 65_536, thinking, dollars(1.25, 10, 0.125)],
  ['gemini-2.5-flash', 1_048_576, 65_536, thinking, dollars(0.3, 2.5, 0.03)],
  ['gemini-2.5-flash-lite', 1_048_576, 65_536, thinking, dollars(0.1, 0.4, 0.01)],
];

/** The scripted model of the built-in provider `local`; its limits are higher than anything needs. */
const local: readonly Row[] = [['echo', 1_000_000, 1_000_000, { ...plain, images: false }, free]];

/**
 * The models that ship with the product, with the vendors' list prices in US dollars. Where long prompts
 * cost more, the window given here ends before the higher price applies, so that the listed price is right.
 */
export const knownModels: ReadonlyMap<string, ModelFacts> = new Map(
  Object.entries({ anthropic, openai, google, local }).flatMap(([provider, rows]) =>
    rows.map(([id, contextWindow, maxOutputTokens, capabilities, prices]) => [
      `${provider}/${id}`,
      { contextWindow, maxOutputTokens, capabilities, prices },
    ]),
  ),
);

const large = { contextWindow: 200_000, maxOutputTokens: 32_000, capabilities: plain };
const small = { contextWindow: 32_768, maxOutputTokens: 4_096 };

/** Assumptions about a vendor's unknown model: the capabilities that all of its current models share. */
const vendorDefaults: ReadonlyMap<string, ModelFacts> = new Map([
  ['anthropic', { ...large, prices: undefined }],
  ['openai', { ...large, contextWindow: 128_000, maxOutputTokens: 16_384, prices: undefined }],
  ['google', { ...large, prices: undefined }],
]);

/** Assumptions about any other unknown model: limits so low that hardly any model has lower ones. */
const anyModel: ModelFacts = {
  ...small,
  capabilities: { images: false, tools: true, parallelTools: false, reasoning: false },
  prices: undefined,
};

/** Returns what is assumed about a model that is not listed here. */
export function assumedFacts(provider: string): ModelFacts {
  // Ollama runs models on the operator's own machines, so tokens cost nothing.
  if (provider === 'ollama') return { ...anyModel, prices: free };
  return vendorDefaults.get(provider) ?? anyModel;
}
