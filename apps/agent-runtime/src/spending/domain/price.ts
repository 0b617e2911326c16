import type { TokenUsage } from '../../agents';

/** The price of a million tokens, in millionths of the currency. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For input that the provider had in its cache. */
  readonly cachedInput: number;
}

/** Prices by `provider/model`, `provider/*` or `*`. */
export type Prices = ReadonlyMap<string, Price>;

const tokensPerPrice = 1_000_000n;

/** Returns the operator's price for a model: its own, else the one for its provider, else the one for all models. */
export function priceOf(prices: Prices, model: string): Price | undefined {
  const [provider = ''] = model.split('/');
  return prices.get(model) ?? prices.get(`${provider}/*`) ?? prices.get('*');
}

/**
 * Returns the cost of a call in millionths of the currency, rounded up, so that many small calls are not free.
 * Cached input is part of the input. Zero when the price is unknown.
 */
export function costOf(usage: TokenUsage, price: Price | undefined): number {
  if (!price) return 0;
  const { input, output, cachedInput } = price;
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const total =
    BigInt(usage.inputTokens - cached) * BigInt(input) +
    BigInt(cached) * BigInt(cachedInput) +
    BigInt(usage.outputTokens) * BigInt(output);
  const micros = (total + tokensPerPrice - 1n) / tokensPerPrice;
  return micros > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(micros);
}
