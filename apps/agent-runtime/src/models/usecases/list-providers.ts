import type { DescribedModel } from '../domain/added-providers';
import type { ProviderSpec } from '../providers-config';
import type { KnownChoices } from './known-choices';
import type { KnownProviders } from './known-providers';

/** A provider as operators see it: without its key. */
export interface ProviderView {
  readonly name: string;
  /** Empty for the vendor's own address. */
  readonly url: string;
  readonly hasKey: boolean;
  readonly added: boolean;
  readonly models: readonly DescribedModel[];
  readonly problem: string;
}

export interface ListProvidersDeps {
  readonly configured: readonly ProviderSpec[];
  readonly known: Pick<KnownChoices, 'refresh'>;
  readonly providers: Pick<KnownProviders, 'added'>;
}

/** Lists the configured providers, and the added ones, which override those with the same name. */
export function makeListProviders({ configured, known, providers }: ListProvidersDeps) {
  return async (): Promise<readonly ProviderView[]> => {
    await known.refresh();
    const added = providers.added.map(
      ({ name, baseUrl, sealedKey, models, problem }): ProviderView => ({
        name,
        url: baseUrl,
        hasKey: sealedKey !== '',
        added: true,
        models,
        problem,
      }),
    );
    const names = new Set(added.map(({ name }) => name));
    const others = configured.map(({ name, baseUrl = '', apiKey }): ProviderView => ({
      name,
      url: baseUrl,
      hasKey: apiKey !== '',
      added: false,
      models: [],
      problem: names.has(name) ? 'overridden by the added provider with the same name' : '',
    }));
    return [...added, ...others];
  };
}
