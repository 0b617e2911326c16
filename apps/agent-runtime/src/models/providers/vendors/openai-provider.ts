import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelProvider } from '../model-provider';
import type { CallLimits } from '../call-clock';
import { fetchDirectly, makeSdkProvider } from '../sdk-provider';

export interface OpenAiDeps {
  readonly name: string;
  /** Absent for the many self-hosted endpoints that need no key. */
  readonly apiKey?: string;
  readonly baseUrl: string;
  readonly limits?: CallLimits;
}

/** Makes a provider for models behind any endpoint that implements OpenAI's chat completions. */
export function makeOpenAiProvider(deps: OpenAiDeps): ModelProvider {
  const { name, apiKey, baseUrl: baseURL, limits } = deps;
  const key = apiKey ? { apiKey } : {};
  const sdk = createOpenAICompatible({
    name,
    baseURL,
    ...key,
    includeUsage: true,
    fetch: fetchDirectly,
  });
  const modelOf = (model: string) => sdk.languageModel(model);
  return makeSdkProvider({ name, modelOf, limits });
}
