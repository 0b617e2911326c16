import { openAiEvent, openAiEvents } from '@daycare/testing';
import { makeOpenAiProvider } from '../../models/providers/vendors/openai-provider';
import type { ModelWire } from './model-wire';

const apiKey = 'sk-test-0123456789';

/** OpenAI's chat completions. */
export const openAiWire: ModelWire = {
  name: 'openai',
  apiKey,
  makeProvider: (baseUrl, limits) =>
    makeOpenAiProvider({
      name: 'openai',
      apiKey,
      baseUrl,
      ...(limits ? { limits } : {}),
    }),
  events: openAiEvents,
  overloaded: openAiEvent({
    error: { message: 'Overloaded', type: 'server_error', param: null, code: null },
  }),
  declined: 'content_filter',
  truncated: 'length',
  error: (status, text, headers = {}) => ({
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_test', ...headers },
    steps: [
      JSON.stringify({
        error: { message: text, type: 'invalid_request_error', param: null, code: null },
      }),
    ],
  }),
};
