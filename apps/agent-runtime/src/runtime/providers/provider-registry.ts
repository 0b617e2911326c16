import { AppError } from '@daycare/errors';
import type { AgentRole } from '../../domain/descriptor-kinds';
import type { ModelChoice, ProviderConfig } from '../../provider-config';
import { localProvider } from '../local-provider';
import type { ModelProvider } from '../model-provider';
import { makeAnthropicProvider } from './anthropic-provider';
import { makeOpenAiProvider } from './openai-provider';
import { withRetries, type RetryParts } from './with-retries';

export interface Providers {
  /** FAILED_PRECONDITION when there is none of that name, say because its key was taken away. */
  find(name: string): ModelProvider;
  /** What an agent that names nothing itself is made with. */
  defaultFor(role: AgentRole): ModelChoice;
}

/** The providers that are configured; `local` always is. */
export function makeProviders(config: ProviderConfig, parts: RetryParts = {}): Providers {
  const remote = remoteProviders(config).map((provider) => withRetries(provider, parts));
  const byName = new Map([localProvider, ...remote].map((provider) => [provider.name, provider]));
  return {
    find(name) {
      const provider = byName.get(name);
      if (provider) return provider;
      throw new AppError('FAILED_PRECONDITION', 'the model provider of this agent is not set up');
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
