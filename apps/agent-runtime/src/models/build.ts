import type { Logger } from '@daycare/rpc';
import type { ProviderConfig } from './provider-config';
import { makeProviders, type Providers } from './providers/provider-registry';

export interface ModelsDeps {
  readonly providers: ProviderConfig;
  readonly log: Logger;
}

/** The model providers that are configured. */
export function buildModels({ providers, log }: ModelsDeps): Providers {
  return makeProviders(providers, { log });
}
