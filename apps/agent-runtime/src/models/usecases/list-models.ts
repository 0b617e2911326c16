import type { ModelCatalogue } from '../catalogue/model-catalogue';
import { nameOf, type ResolvedModel } from '../catalogue/model-entry';
import type { ModelsConfig } from '../models-config';
import type { Providers } from '../providers/vendors/provider-registry';

export interface ListModelsDeps {
  readonly config: Pick<ModelsConfig, 'instance' | 'roles'>;
  readonly catalogue: ModelCatalogue;
  readonly providers: Providers;
}

/** The models of the configured providers, as far as they are known: the catalogue's and those of the configuration. */
export function makeListModels({ config, catalogue, providers }: ListModelsDeps) {
  const configured = [...config.instance, ...Object.values(config.roles).flat()];
  return (): {
    readonly models: readonly ResolvedModel[];
    readonly providers: readonly string[];
  } => {
    const names = [...providers.keys()];
    const models = names.flatMap((provider) => [
      ...catalogue.list(provider),
      ...catalogue.resolveModels(configured.filter((name) => name.provider === provider)),
    ]);
    const unique = new Map(models.map((model) => [nameOf(model), model]));
    return { models: [...unique.values()], providers: names };
  };
}

/** The name of a model that is known, and `provider/other` for all others: so many names only, whatever users choose. */
export function makeLabelOf(deps: ListModelsDeps): (name: string) => string {
  const names = new Set(makeListModels(deps)().models.map(nameOf));
  return (name) => (names.has(name) ? name : `${name.split('/')[0] ?? ''}/other`);
}
