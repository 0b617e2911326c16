import { makeOpenAiVendorProvider } from '../../models/providers/vendors/openai-vendor-provider';
import type { ModelWire } from './model-wire';
import { openAiWire } from './openai-wire';

const { apiKey } = openAiWire;

/** OpenAI's own chat completions. */
export const openAiVendorWire: ModelWire = {
  ...openAiWire,
  name: 'openai (vendor)',
  makeProvider: (baseUrl, limits) =>
    makeOpenAiVendorProvider({ apiKey, baseUrl, ...(limits ? { limits } : {}) }),
};
