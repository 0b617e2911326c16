import type { ProviderSpec } from '../../providers-config';
import { localProvider } from '../local-provider';
import type { ModelProvider } from '../model-provider';
import { makeAnthropicProvider } from './anthropic-provider';
import { makeGoogleProvider } from './google-provider';
import { makeOpenAiProvider } from './openai-provider';
import { makeOpenAiVendorProvider } from './openai-vendor-provider';
import { withRetries, type RetryDeps } from '../with-retries';
import { withSpans, type StartClientSpan } from '../with-spans';

export interface ProvidersDeps extends RetryDeps {
  readonly startSpan?: StartClientSpan;
}

/** The available providers, by name; `local` is always one of them. */
export interface Providers {
  get(name: string): ModelProvider | undefined;
  has(name: string): boolean;
  keys(): Iterable<string>;
  /** Returns a version that changes when the provider is replaced; it is the same on all replicas. */
  versionOf?(name: string): string;
}

/** Makes a provider with retries and tracing. */
export type MakeProvider = (spec: ProviderSpec) => ModelProvider;

export function makeProviderWith(deps: ProvidersDeps): MakeProvider {
  return (spec) => withRetries(withSpans(makeProvider(spec), deps.startSpan), deps);
}

export function makeProviders(
  specs: readonly ProviderSpec[],
  deps: ProvidersDeps = {},
): ReadonlyMap<string, ModelProvider> {
  const remote = specs.map(makeProviderWith(deps));
  return new Map([localProvider, ...remote].map((provider) => [provider.name, provider]));
}

function makeProvider({ name, kind, apiKey, baseUrl }: ProviderSpec): ModelProvider {
  const address = baseUrl === undefined ? {} : { baseUrl };
  switch (kind) {
    case 'anthropic':
      return makeAnthropicProvider({ apiKey, ...address });
    case 'openai':
      return makeOpenAiVendorProvider({ apiKey, ...address });
    case 'google':
      return makeGoogleProvider({ apiKey, ...address });
    case 'compatible':
      return makeOpenAiProvider({ name, apiKey, baseUrl: baseUrl ?? '' });
  }
}
