import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelProvider } from '../model-provider';
import type { CallLimits } from './call-clock';
import { fetchDirectly, makeSdkProvider } from './sdk-provider';

export interface OpenAiParts {
  readonly name: string;
  /** Many endpoints of one's own want none. */
  readonly apiKey?: string;
  readonly baseUrl: string;
  readonly defaultModel: string;
  readonly limits?: CallLimits;
}

/** Models behind any endpoint that speaks OpenAI's chat completions. */
export function makeOpenAiProvider(parts: OpenAiParts): ModelProvider {
  const { name, apiKey, baseUrl: baseURL, defaultModel, limits } = parts;
  const key = apiKey ? { apiKey } : {};
  const sdk = createOpenAICompatible({
    name,
    baseURL,
    ...key,
    includeUsage: true,
    fetch: fetchDirectly,
  });
  const modelOf = (model: string) => sdk.languageModel(model);
  return makeSdkProvider({ name, defaultModel, modelOf, limits });
}
