import { AppError, notFound } from '@daycare/api';
import { mergeDescriptions, type ModelDescription } from '../catalogue/model-catalogue';

/** An operator's description of one of a provider's models. */
export interface DescribedModel extends ModelDescription {
  readonly id: string;
}

/** A provider that was added at run time. */
export interface AddedProvider {
  readonly name: string;
  /** Empty for the vendor's own address. */
  readonly baseUrl: string;
  /** Encrypted; empty when the provider needs no key. */
  readonly sealedKey: string;
  readonly models: readonly DescribedModel[];
}

export interface ProviderAddition extends Omit<AddedProvider, 'sealedKey'> {
  /** Undefined to keep the key that is stored for the same address. */
  readonly sealedKey: string | undefined;
}

const maxAddedProviders = 50;
/** The limit for all providers together, because each model may become a label in metrics. */
const maxDescribedModels = 200;

/**
 * Adds a provider or replaces the one with the same name; earlier descriptions of its models are kept unless they are
 * corrected. Throws QUOTA_EXCEEDED.
 */
export function addProvider(
  before: readonly AddedProvider[],
  { sealedKey, models, ...addition }: ProviderAddition,
): readonly AddedProvider[] {
  const earlier = before.find(({ name }) => name === addition.name);
  const isSameAddress = earlier?.baseUrl === addition.baseUrl;
  const added: AddedProvider = {
    ...addition,
    sealedKey: sealedKey ?? (isSameAddress ? earlier.sealedKey : ''),
    models: mergeModels([...(earlier?.models ?? []), ...models]),
  };
  const others = before.filter(({ name }) => name !== addition.name);
  const next = [...others, added];
  requireWithinLimits(next);
  return next;
}

/** Removes an added provider; throws NOT_FOUND when none has that name. */
export function removeProvider(
  before: readonly AddedProvider[],
  name: string,
): readonly AddedProvider[] {
  const remaining = before.filter((each) => each.name !== name);
  if (remaining.length === before.length) throw notFound('provider');
  return remaining;
}

/** A later description of the same model adds to an earlier one, or corrects it. */
function mergeModels(models: readonly DescribedModel[]): readonly DescribedModel[] {
  const merged = new Map<string, DescribedModel>();
  for (const model of models)
    merged.set(model.id, { ...mergeDescriptions(merged.get(model.id), model), id: model.id });
  return [...merged.values()];
}

function requireWithinLimits(providers: readonly AddedProvider[]): void {
  const describedModels = providers.reduce((sum, { models }) => sum + models.length, 0);
  if (providers.length > maxAddedProviders)
    throw new AppError(
      'QUOTA_EXCEEDED',
      `${maxAddedProviders} providers have already been added; remove one first`,
    );
  if (describedModels > maxDescribedModels)
    throw new AppError(
      'QUOTA_EXCEEDED',
      `Added providers can have at most ${maxDescribedModels} models in total; remove a provider first`,
    );
}
