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
  /** By `provider/id`; earlier descriptions in the list override later ones. */
  readonly described?: () => readonly ReadonlyMap<string, ModelDescription>[];
  /** The vendors' prices are in dollars; in another currency they are unknown. */
  readonly currency?: string;
}

/** The facts about models: those that ship with the product, and the operator's descriptions. */
export class ModelCatalogue {
  readonly #described: () => readonly ReadonlyMap<string, ModelDescription>[];
  readonly #hasPrices: boolean;

  constructor({ described = () => [], currency = 'USD' }: CatalogueOptions = {}) {
    this.#described = described;
    this.#hasPrices = currency === 'USD';
  }

  /** Never fails: an unknown model gets conservative defaults. */
  resolve(name: ModelName): ResolvedModel {
    const full = nameOf(name);
    const known = knownModels.get(full) ?? knownModels.get(undated(full));
    const facts = known ?? assumedFacts(name.provider);
    const described = this.#describedOf(full);
    return {
      provider: name.provider,
      id: name.id,
      ...facts,
      prices: this.#hasPrices || isFree(facts.prices) ? facts.prices : undefined,
      ...described,
      capabilities: { ...facts.capabilities, ...described.capabilities },
    };
  }

  /** The price of a model, by `provider/id`; undefined when the price is unknown. */
  priceOf(text: string): ModelPrices | undefined {
    const name = parseModelName(text);
    return name && this.resolve(name).prices;
  }

  /** The first is used; the others are its fallbacks, in this order. */
  resolveModels(choices: readonly ModelName[]): ResolvedModel[] {
    return choices.map((choice) => this.resolve(choice));
  }

  /** Every known or described model of a provider. */
  list(provider: string): ResolvedModel[] {
    const described = this.#described().flatMap((each) => [...each.keys()]);
    const names = new Set([...knownModels.keys(), ...described]);
    return [...names].flatMap((text) => {
      const name = parseModelName(text);
      return name?.provider === provider ? [this.resolve(name)] : [];
    });
  }

  #describedOf(name: string): ModelDescription {
    return this.#described().reduceRight<ModelDescription>(
      (before, described) => mergeDescriptions(before, described.get(name) ?? {}),
      {},
    );
  }
}

/** A later description adds to an earlier one, or corrects it. */
export function mergeDescriptions(
  before: ModelDescription = {},
  later: ModelDescription,
): ModelDescription {
  const capabilities = { ...before.capabilities, ...later.capabilities };
  const hasCapabilities = Object.keys(capabilities).length > 0;
  return { ...before, ...later, ...(hasCapabilities ? { capabilities } : {}) };
}

/** Removes the date from a name: vendors publish a model under a name without and one with a date. */
function undated(name: string): string {
  return name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}
