import type { EnvReader } from '@daycare/service-kit';
import type { Price, Prices } from './domain/price';

export interface SpendingConfig {
  readonly prices: Prices;
  /** The currency of all prices. Amounts are not converted, so the vendors' list prices apply only with USD. */
  readonly currency: string;
  /** How many tokens are set aside for the answer to a call that is subject to a budget. */
  readonly answerTokens: number;
}

const pricesVariable = 'DAYCARE_MODEL_PRICES';
const priceFormat =
  'model=input:output[:cached input], where model is provider/model, provider/* or *, e.g. openai/gpt-1=2500000:10000000:1250000';
const maxPrice = 1_000_000_000_000;

/** Prices are in millionths of the currency per million tokens, so that they are whole numbers. */
export function readSpendingConfig(env: EnvReader): SpendingConfig {
  return {
    prices: readPrices(env),
    currency: readCurrency(env),
    answerTokens: env.integer('DAYCARE_BUDGET_ANSWER_TOKENS', {
      default: 4_096,
      min: 1,
      max: 1_000_000,
      about: 'how many tokens are set aside for the answer to a call that is subject to a budget',
    }),
  };
}

function readPrices(env: EnvReader): Prices {
  const prices = new Map<string, Price>();
  const parts = env
    .text(pricesVariable, {
      default: '',
      takes: `entries separated by commas, each ${priceFormat}`,
      about: 'prices of models, in millionths of the currency per million tokens',
    })
    .split(',')
    .map((part) => part.trim());
  for (const part of parts.filter((each) => each !== '')) {
    const [, model = '', ...numbers] =
      /^(\*|[^\s=/]+\/[^\s=]+)=(\d{1,13}):(\d{1,13})(?::(\d{1,13}))?$/.exec(part) ?? [];
    const price = toPrice(numbers);
    if (model === '')
      env.problem(`${pricesVariable} has "${part}", but each entry must be ${priceFormat}`);
    else if (Object.values(price).some((each) => each > maxPrice))
      env.problem(`${pricesVariable} has "${part}", but a price must be at most ${maxPrice}`);
    else if (prices.has(model)) env.problem(`${pricesVariable} has "${model}" twice`);
    else prices.set(model, price);
  }
  return prices;
}

/** If no price is given for cached input, it costs as much as other input. */
function toPrice([input = '0', output = '0', cached]: readonly (string | undefined)[]): Price {
  return { input: Number(input), output: Number(output), cachedInput: Number(cached ?? input) };
}

function readCurrency(env: EnvReader): string {
  const currency = env.text('DAYCARE_CURRENCY', {
    default: 'USD',
    takes: 'three letters',
    about:
      "the currency of prices; amounts are not converted, so the vendors' list prices apply only with USD",
  });
  if (!/^[A-Z]{3}$/.test(currency))
    env.problem(`DAYCARE_CURRENCY is "${currency}", but must be three letters, e.g. USD`);
  return currency;
}
