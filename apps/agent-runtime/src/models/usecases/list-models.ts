import type { ModelCatalogue } from '../catalogue/model-catalogue';
import { nameOf, type ResolvedModel } from '../catalogue/model-entry';
import type { ModelsConfig } from '../models-config';
import type { Providers } from '../providers/vendors/provider-registry';
import type { KnownChoices } from './known-choices';

export interface ListModelsDeps {
  readonly config: Pick<ModelsConfig, 'instance' | 'roles'>;
  readonly catalogue: ModelCatalogue;
  readonly providers: Providers;
  readonly known: Pick<KnownChoices, 'refresh'>;
}

/** Lists the available providers' known models: those in the catalogue and those named in the configuration. */
export function makeListModels(deps: ListModelsDeps) {
  return async (): Promise<ListedModels> => {
    await deps.known.refresh();
    return { models: listKnownModels(deps), providers: [...deps.providers.keys()] };
  };
}

export interface ListedModels {
  readonly models: readonly ResolvedModel[];
  readonly providers: readonly string[];
}

function listKnownModels({
  config,
  catalogue,
  providers,
}: Omit<ListModelsDeps, 'known'>): readonly ResolvedModel[] {
  const configured = [...config.instance, ...Object.values(config.roles).flat()];
  const models = [...providers.keys()].flatMap((provider) => [
    ...catalogue.list(provider),
    ...catalogue.resolveModels(configured.filter((name) => name.provider === provider)),
  ]);
  return [...new Map(models.map((model) => [nameOf(model), model])).values()];
}

/**
 * Labels for models in metrics: the name of a known model, otherwise `provider/other`, so that the number
 * of labels stays bounded whatever users choose.
 */
export class ModelLabels {
  #names: ReadonlySet<string>;

  constructor(private readonly deps: Omit<ListModelsDeps, 'known'>) {
    this.#names = new Set(listKnownModels(deps).map(nameOf));
  }

  /** Call it when providers have changed. */
  update(): void {
    this.#names = new Set(listKnownModels(this.deps).map(nameOf));
  }

  of(name: string): string {
    return this.#names.has(name) ? name : `${name.split('/')[0] ?? ''}/other`;
  }
}
