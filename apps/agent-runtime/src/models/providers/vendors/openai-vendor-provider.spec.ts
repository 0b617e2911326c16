import { expect, it } from '@jest/globals';
import { failureOf } from '../../../test-support/model/ask-model';
import { sample } from '../../../test-support/model/sample-conversation';
import { useModelServer } from '../../../test-support/model/use-model-server';
import { openAiVendorWire as wire } from '../../../test-support/model/openai-vendor-wire';

const model = useModelServer();

const jsonError = (status: number, error: object) => ({
  status,
  headers: { 'content-type': 'application/json' },
  steps: [JSON.stringify({ error })],
});

it('an OpenAI reasoning model is sent a developer message and max_completion_tokens', async () => {
  const request = { model: 'gpt-5.4-mini', maxOutputTokens: 99 };
  const { path, headers, body } = await model.send(wire, request);
  expect(path).toBe('/v1/chat/completions');
  expect(headers.authorization).toBe(`Bearer ${wire.apiKey}`);
  expect(body).toMatchObject({ model: 'gpt-5.4-mini', max_completion_tokens: 99, stream: true });
  expect(body).not.toHaveProperty('max_tokens');
  expect(body.messages[0]).toMatchObject({ role: 'developer' });
});

it('a request to OpenAI contains images as data URIs after the text', async () => {
  const { body } = await model.send(wire, sample.imageConversation);
  expect(body.messages[1]).toMatchObject(sample.openAiImageMessage);
});

it.each([
  [401, { type: 'invalid_request_error', code: 'invalid_api_key' }, 'key'],
  [404, { type: 'invalid_request_error', code: 'model_not_found' }, 'missing'],
  [429, { type: 'insufficient_quota', code: 'insufficient_quota' }, 'quota'],
  [429, { type: 'requests', code: 'rate_limit_exceeded' }, 'limited'],
])(
  'status %d from OpenAI with the error %j is classified as %s',
  async (status, error, verdict) => {
    model.server.reply(jsonError(status, { message: 'secret text', param: null, ...error }));
    expect(await failureOf(wire.makeProvider(model.server.url))).toMatchObject({ verdict });
  },
);
