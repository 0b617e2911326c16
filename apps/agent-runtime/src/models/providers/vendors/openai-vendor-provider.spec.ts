import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ModelServer } from '@daycare/testing';
import { ask, failureOf } from '../../../test-support/model/ask-model';
import { sampleImageTalk, sampleImageTexts } from '../../../test-support/model/sample-talk';
import { openAiVendorWire as wire } from '../../../test-support/model/openai-vendor-wire';

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(() => server.close());

const jsonError = (status: number, error: object) => ({
  status,
  headers: { 'content-type': 'application/json' },
  steps: [JSON.stringify({ error })],
});

it('a reasoning model of OpenAI gets a developer message and max_completion_tokens', async () => {
  server.reply({ steps: wire.events({ text: ['x'] }) });
  await ask(wire.makeProvider(server.url), { model: 'gpt-5.4-mini', maxOutputTokens: 99 });
  const { path, headers, body } = server.lastRequest;
  expect(path).toBe('/v1/chat/completions');
  expect(headers.authorization).toBe(`Bearer ${wire.apiKey}`);
  expect(body).toMatchObject({ model: 'gpt-5.4-mini', max_completion_tokens: 99, stream: true });
  expect(body).not.toHaveProperty('max_tokens');
  expect(body.messages[0]).toMatchObject({ role: 'developer' });
});

it('a request to OpenAI contains images as data URIs after the text', async () => {
  server.reply({ steps: wire.events({ text: ['x'] }) });
  await ask(wire.makeProvider(server.url), sampleImageTalk);
  const { body } = server.lastRequest;
  const [text, missing] = sampleImageTexts;
  const url = `data:image/jpeg;base64,${Buffer.from('a cat').toString('base64')}`;
  expect(body.messages[1]).toMatchObject({
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: missing },
    ],
  });
});

it.each([
  [401, { type: 'invalid_request_error', code: 'invalid_api_key' }, 'key'],
  [404, { type: 'invalid_request_error', code: 'model_not_found' }, 'missing'],
  [429, { type: 'insufficient_quota', code: 'insufficient_quota' }, 'quota'],
  [429, { type: 'requests', code: 'rate_limit_exceeded' }, 'limited'],
])('OpenAI’s %d with %j is judged as %s', async (status, error, verdict) => {
  server.reply(jsonError(status, { message: 'secret text', param: null, ...error }));
  expect(await failureOf(wire.makeProvider(server.url))).toMatchObject({ verdict });
});
