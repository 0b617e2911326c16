import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { ModelProvider } from '../model-provider';
import type { CallLimits } from '../call-clock';
import { fetchDirectly, makeSdkProvider } from '../sdk-provider';

const googleUrl = 'https://generativelanguage.googleapis.com/v1beta';

export interface GoogleDeps {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly limits?: CallLimits;
}

/** Makes a provider for models behind Google's Gemini API. */
export function makeGoogleProvider(deps: GoogleDeps): ModelProvider {
  const { apiKey, baseUrl: baseURL = googleUrl, limits } = deps;
  const sdk = createGoogleGenerativeAI({ apiKey, baseURL, fetch: fetchDirectly });
  const modelOf = (model: string) => sdk.languageModel(model);
  return makeSdkProvider({ name: 'google', modelOf, limits });
}
