import { assumedFacts, isFree, knownModels } from './known-models';
import {
  nameOf,
  parseModelName,
  type ModelCapabilities,
  type ModelFacts,
  type ModelName,
  type ModelPrices,
  type ResolvedModel,
} from './model-entry';

/** An operator's description of a model; absent fields keep their known or assumed values. */
export interface ModelDescription extends Partial<Omit<ModelFacts, 'capabilities'>> {
  readonly capabilities?: Partial<ModelCapabilities>;
}

export interface CatalogueOptions {
  /** Maps of descriptions by `provider/id`; earlier maps take precedence over later ones. */
  readonly descriptions?: () => readonly ReadonlyMap<string, ModelDescription>[];
  /** The vendors' prices are in US dollars, so with another currency they are unknown. */
  readonly currency?: string;
}

/** The facts about models: those that ship with the product, and the operator's descriptions. */
export class ModelCatalogue {
  readonly #descriptions: () => readonly ReadonlyMap<string, ModelDescription>[];
  readonly #hasPrices: boolean;

  constructor({ descriptions = () => [], currency = 'USD' }: CatalogueOptions = {}) {
    this.#descriptions = descriptions;
    this.#hasPrices = currency === 'USD';
  }

  /** Returns the facts about a model; an unknown model gets conservative defaults. */
  resolve(name: ModelName): ResolvedModel {
    const fullName = nameOf(name);
    const known = knownModels.get(fullName) ?? knownModels.get(withoutDate(fullName));
    const facts = known ?? assumedFacts(name.provider);
    const description = this.#descriptionOf(fullName);
    return {
      provider: name.provider,
      id: name.id,
      ...facts,
      prices: this.#hasPrices || isFree(facts.prices) ? facts.prices : undefined,
      ...description,
      capabilities: { ...facts.capabilities, ...description.capabilities },
    };
  }

  /** Returns the price of a model, by `provider/id`; undefined when the price is unknown. */
  priceOf(text: string): ModelPrices | undefined {
    const name = parseModelName(text);
    return name && this.resolve(name).prices;
  }

  /** Resolves the models of a choice, in order: the first is used, the others are its fallbacks. */
  resolveModels(choices: readonly ModelName[]): ResolvedModel[] {
    return choices.map((choice) => this.resolve(choice));
  }

  /** Lists a provider's known and described models. */
  list(provider: string): ResolvedModel[] {
    const describedNames = this.#descriptions().flatMap((source) => [...source.keys()]);
    const names = new Set([...knownModels.keys(), ...describedNames]);
    return [...names].flatMap((text) => {
      const name = parseModelName(text);
      return name?.provider === provider ? [this.resolve(name)] : [];
    });
  }

  #descriptionOf(name: string): ModelDescription {
    return this.#descriptions().reduceRight<ModelDescription>(
      (merged, source) => mergeDescriptions(merged, source.get(name) ?? {}),
      {},
    );
  }
}

/** Merges two descriptions: the later one adds to the earlier one, or corrects it. */
export function mergeDescriptions(
  earlier: ModelDescription = {},
  later: ModelDescription,
): ModelDescription {
  const capabilities = { ...earlier.capabilities, ...later.capabilities };
  const hasCapabilities = Object.keys(capabilities).length > 0;
  return { ...earlier, ...later, ...(hasCapabilities ? { capabilities } : {}) };
}

/** Removes a date or `latest` from a name: vendors publish a model under names with and without one. */
function withoutDate(name: string): string {
  return name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}
