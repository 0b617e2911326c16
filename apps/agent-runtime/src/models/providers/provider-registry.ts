import { AppError } from '@daycare/api';
import type { AgentRole } from '../../agents';
import type { ModelChoice, ProviderConfig } from '../provider-config';
import { localProvider } from '../local-provider';
import type { ModelProvider } from '../model-provider';
import { makeAnthropicProvider } from './anthropic-provider';
import { makeOpenAiProvider } from './openai-provider';
import { withRetries, type RetryDeps } from './with-retries';

export interface Providers {
  /** Throws FAILED_PRECONDITION for an unknown name, for example after its key was removed. */
  find(name: string): ModelProvider;
  /** The provider and model of new agents. */
  defaultFor(role: AgentRole): ModelChoice;
}

/** The configured providers; `local` always is. */
export function makeProviders(config: ProviderConfig, deps: RetryDeps = {}): Providers {
  const remote = remoteProviders(config).map((provider) => withRetries(provider, deps));
  const byName = new Map([localProvider, ...remote].map((provider) => [provider.name, provider]));
  return {
    find(name) {
      const provider = byName.get(name);
      if (provider) return provider;
      throw new AppError(
        'FAILED_PRECONDITION',
        'the model provider of this agent is not configured',
      );
    },
    defaultFor: (role) => config.models[role],
  };
}

function remoteProviders({ anthropic, openai, models }: ProviderConfig): ModelProvider[] {
  const defaultModelOf = (name: string): string =>
    Object.values(models).find(({ provider }) => provider === name)?.model ?? '';
  return [
    ...(anthropic
      ? [makeAnthropicProvider({ ...anthropic, defaultModel: defaultModelOf('anthropic') })]
      : []),
    ...(openai
      ? [
          makeOpenAiProvider({
            ...openai,
            name: 'openai',
            defaultModel: defaultModelOf('openai'),
          }),
        ]
      : []),
  ];
}
