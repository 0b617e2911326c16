import { describe, expect, it } from '@jest/globals';
import type { SeenRequest } from '@daycare/testing';
import { ask, failureOf } from '../../../test-support/model/ask-model';
import { openAiWire } from '../../../test-support/model/openai-wire';
import { sample } from '../../../test-support/model/sample-conversation';
import { useModelServer } from '../../../test-support/model/use-model-server';
import type { ModelRequest } from '../model-provider';
import { makeOpenAiProvider } from './openai-provider';

const model = useModelServer();

const answer = { steps: openAiWire.events({ text: ['x'] }) };

const send = (request: Partial<ModelRequest>): Promise<SeenRequest> =>
  model.send(openAiWire, request);

describe('the provider for OpenAI-compatible endpoints', () => {
  it('sends requests to the chat completions endpoint with the API key', async () => {
    const { path, headers } = await send({});
    expect(path).toBe('/v1/chat/completions');
    expect(headers.authorization).toBe(`Bearer ${openAiWire.apiKey}`);
  });

  it('sends no API key when none is configured', async () => {
    model.server.reply(answer);
    await ask(makeOpenAiProvider({ name: 'own', baseUrl: model.server.url }));
    expect(model.server.lastRequest.headers).not.toHaveProperty('authorization');
  });

  it('names the model and asks for a stream with token usage', async () => {
    const { body } = await send({ model: 'vendor/model-1' });
    expect(body).toMatchObject({
      model: 'vendor/model-1',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('omits an empty system prompt and an empty list of tools', async () => {
    const { body } = await send({ systemPrompt: '' });
    expect(body.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    expect(body).not.toHaveProperty('tools');
  });

  it('sends images as data URIs after the text', async () => {
    const { body } = await send(sample.imageConversation);
    expect(body.messages[1]).toMatchObject(sample.openAiImageMessage);
  });

  it('sends the whole conversation', async () => {
    const { body } = await send(sample.conversation);
    const toCall = (id: string, args: string) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: args },
    });
    expect(body.messages).toEqual([
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: sample.question },
      {
        role: 'assistant',
        content: 'I will look.',
        tool_calls: [
          toCall('call_1', '{"at":"f1"}'),
          toCall('call-2', JSON.stringify({ unreadable: '{"at":' })),
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"sees":"a cat"}' },
      { role: 'tool', tool_call_id: 'call-2', content: '{"error":"unreadable"}' },
      { role: 'assistant', content: 'A cat.' },
      { role: 'user', content: 'Thanks' },
    ]);
  });

  it('describes the tools', async () => {
    const { body } = await send(sample.conversation);
    const [{ name, description, inputSchema }] = sample.conversation.tools as [
      (typeof sample.conversation.tools)[0],
    ];
    expect(body.tools).toEqual([
      { type: 'function', function: { name, description, parameters: inputSchema } },
    ]);
  });

  it('accepts an answer without token usage', async () => {
    const events = openAiWire.events({ text: ['x'] }).filter((event) => !event.includes('usage'));
    model.server.reply({ steps: events });
    const { usage } = await ask(openAiWire.makeProvider(model.server.url));
    expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 });
  });

  it('separates interleaved fragments of two tool calls', async () => {
    const events = openAiWire.events({
      calls: [
        { id: 'a', name: 'look', fragments: ['{"n":', '1}'] },
        { id: 'b', name: 'look', fragments: ['{"n":', '2}'] },
      ],
    });
    const [role = '', a = '', a1 = '', a2 = '', b = '', b1 = '', b2 = '', ...end] = events;
    model.server.reply({ steps: [role, a, b, a1, b1, b2, a2, ...end] });
    const { toolCalls } = await ask(openAiWire.makeProvider(model.server.url));
    expect(toolCalls).toEqual([
      { id: 'a', name: 'look', argumentsJson: '{"n":1}' },
      { id: 'b', name: 'look', argumentsJson: '{"n":2}' },
    ]);
  });

  it.each([
    ['an exhausted quota', 429, { type: 'insufficient_quota', code: 'insufficient_quota' }],
    ['an unknown API key', 401, { type: 'invalid_request_error', code: 'invalid_api_key' }],
    ['a context that is too long', 400, { type: 'x', code: 'context_length_exceeded' }],
  ])(
    'the provider for OpenAI-compatible endpoints does not classify %s as a transient failure',
    async (_, status, error) => {
      const body = JSON.stringify({ error: { message: 'Hello', param: null, ...error } });
      model.server.reply({ status, steps: [body] });
      expect(await failureOf(openAiWire.makeProvider(model.server.url))).toMatchObject({
        code: 'FAILED_PRECONDITION',
      });
    },
  );

  it.each([
    [403, 'model_not_found', 'missing'],
    [403, null, 'forbidden'],
    [403, 'invalid_api_key', 'key'],
  ])('classifies status %d with the error code %s as %s', async (status, code, verdict) => {
    const error = { message: 'Hello', type: 'invalid_request_error', param: null, code };
    model.server.reply({ status, steps: [JSON.stringify({ error })] });
    expect(await failureOf(openAiWire.makeProvider(model.server.url))).toMatchObject({ verdict });
  });

  it.each([
    [{ message: 'Hello', type: 'server_error' }, 'UNAVAILABLE'],
    [{ message: 'Hello', code: 'rate_limit_exceeded' }, 'RATE_LIMITED'],
    [{ message: 'Hello', code: 429 }, 'RATE_LIMITED'],
    [{ message: 'Hello', code: 502 }, 'UNAVAILABLE'],
    [{ message: 'Hello', code: 400 }, 'FAILED_PRECONDITION'],
  ])('turns the error %j within a stream into %s', async (error, code) => {
    const [first = ''] = openAiWire.events({ text: ['a'] });
    model.server.reply({ steps: [first, `data: ${JSON.stringify({ error })}\n\n`] });
    const failure = await failureOf(openAiWire.makeProvider(model.server.url));
    expect(failure).toMatchObject({ code });
    expect(String(failure.cause)).not.toContain('Hello');
  });
});
