import { assumedFacts, free, knownModels } from './known-models';
import {
  nameOf,
  parseModelName,
  type ModelCapabilities,
  type ModelFacts,
  type ModelName,
  type ModelPrices,
  type ResolvedModel,
} from './model-entry';

/** What an operator says about a model; what is absent is as known or assumed. */
export interface ModelDescription extends Partial<Omit<ModelFacts, 'capabilities'>> {
  readonly capabilities?: Partial<ModelCapabilities>;
}

export interface CatalogueOptions {
  /** By `provider/id`. */
  readonly described?: ReadonlyMap<string, ModelDescription>;
  /** The vendors' prices are in dollars; in another currency they are unknown. */
  readonly currency?: string;
}

/** What is known about models: what ships with the product, and what the operator says. */
export class ModelCatalogue {
  readonly #described: ReadonlyMap<string, ModelDescription>;
  readonly #hasPrices: boolean;

  constructor({ described = new Map(), currency = 'USD' }: CatalogueOptions = {}) {
    this.#described = described;
    this.#hasPrices = currency === 'USD';
  }

  /** Never fails: a model that is not known gets careful defaults. */
  resolve(name: ModelName): ResolvedModel {
    const full = nameOf(name);
    const known = knownModels.get(full) ?? knownModels.get(undated(full));
    const facts = known ?? assumedFacts(name.provider);
    const described = this.#described.get(full) ?? {};
    return {
      provider: name.provider,
      id: name.id,
      ...facts,
      prices: this.#hasPrices ? facts.prices : free,
      ...described,
      capabilities: { ...facts.capabilities, ...described.capabilities },
    };
  }

  /** By `provider/id`. */
  priceOf(text: string): ModelPrices {
    const name = parseModelName(text);
    return name ? this.resolve(name).prices : free;
  }

  /** The first is to be used, the others stand in for it in this order. */
  resolveModels(choices: readonly ModelName[]): ResolvedModel[] {
    return choices.map((choice) => this.resolve(choice));
  }

  /** Every known or described model of a provider. */
  list(provider: string): ResolvedModel[] {
    const names = new Set([...knownModels.keys(), ...this.#described.keys()]);
    return [...names].flatMap((text) => {
      const name = parseModelName(text);
      return name?.provider === provider ? [this.resolve(name)] : [];
    });
  }
}

/** Vendors publish a model under its name and under the name with a date. */
function undated(name: string): string {
  return name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}
