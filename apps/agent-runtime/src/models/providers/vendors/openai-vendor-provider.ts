import { createOpenAI } from '@ai-sdk/openai';
import type { ModelProvider } from '../model-provider';
import type { CallLimits } from '../call-clock';
import { fetchDirectly, makeSdkProvider } from '../sdk-provider';

const openAiUrl = 'https://api.openai.com/v1';

export interface OpenAiVendorDeps {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly limits?: CallLimits;
}

/** Makes a provider for OpenAI's own models; some reject parameters that compatible endpoints expect. */
export function makeOpenAiVendorProvider(deps: OpenAiVendorDeps): ModelProvider {
  const { apiKey, baseUrl: baseURL = openAiUrl, limits } = deps;
  const sdk = createOpenAI({ apiKey, baseURL, fetch: fetchDirectly });
  // The Responses API is not used: it expects its reasoning items back, which a history does not hold.
  const modelOf = (model: string) => sdk.chat(model);
  return makeSdkProvider({ name: 'openai', modelOf, limits });
}
