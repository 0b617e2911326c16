import { createAnthropic } from '@ai-sdk/anthropic';
import type { ModelProvider } from '../model-provider';
import type { CallLimits } from '../call-clock';
import { fetchDirectly, makeSdkProvider } from '../sdk-provider';
import type { SdkPrompt } from '../sdk-types';

const anthropicUrl = 'https://api.anthropic.com/v1';

export interface AnthropicDeps {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly limits?: CallLimits;
}

const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Makes a provider for models behind Anthropic's Messages API. */
export function makeAnthropicProvider(deps: AnthropicDeps): ModelProvider {
  const { apiKey, baseUrl: baseURL = anthropicUrl, limits } = deps;
  const sdk = createAnthropic({ apiKey, baseURL, fetch: fetchDirectly });
  const modelOf = (model: string) => sdk.languageModel(model);
  return makeSdkProvider({ name: 'anthropic', modelOf, prepare: addCacheMarks, limits });
}

/** The next round of a turn repeats this prompt, so Anthropic is asked to cache it up to these marks. */
function addCacheMarks(prompt: SdkPrompt): SdkPrompt {
  const isMarked = (index: number): boolean =>
    index === prompt.length - 1 || prompt[index]?.role === 'system';
  return prompt.map((message, index) =>
    isMarked(index) ? { ...message, providerOptions: cacheMark } : message,
  );
}
