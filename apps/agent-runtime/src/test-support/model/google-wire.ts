import { googleEvents } from '@daycare/testing';
import { makeGoogleProvider } from '../../models/providers/vendors/google-provider';
import type { ModelWire } from './model-wire';

const apiKey = 'AIza-test-0123456789';

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** Google's Gemini API. */
export const googleWire: Pick<ModelWire, 'apiKey' | 'error' | 'events' | 'makeProvider' | 'name'> =
  {
    name: 'google',
    apiKey,
    makeProvider: (baseUrl, limits) =>
      makeGoogleProvider({ apiKey, baseUrl, ...(limits ? { limits } : {}) }),
    events: googleEvents,
    error: (status, text, headers = {}) => ({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      steps: [JSON.stringify({ error: { code: status, message: text, status: statuses[status] } })],
    }),
  };

/** Google's response to an invalid key, whose status is not 401. */
export const invalidGoogleKey = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  steps: [
    JSON.stringify({
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'API_KEY_INVALID',
            domain: 'googleapis.com',
          },
        ],
      },
    }),
  ],
};
