import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { SeenRequest } from '@daycare/testing';
import { anthropicWire } from '../../../test-support/model/anthropic-wire';
import { ask, failureOf } from '../../../test-support/model/ask-model';
import { sample } from '../../../test-support/model/sample-conversation';
import { useModelServer } from '../../../test-support/model/use-model-server';
import type { ModelRequest } from '../model-provider';

const model = useModelServer();

const send = (request: Partial<ModelRequest>): Promise<SeenRequest> =>
  model.send(anthropicWire, request);

const cache_control = { type: 'ephemeral' };

describe('a request to Anthropic', () => {
  it('goes to the Messages API with the API key', async () => {
    const { path, headers } = await send({});
    expect(path).toBe('/v1/messages');
    expect(headers).toMatchObject({
      'x-api-key': anthropicWire.apiKey,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
  });

  it('names the model and the output limit', async () => {
    const { body } = await send({ model: 'claude-of-tomorrow' });
    expect(body).toMatchObject({ model: 'claude-of-tomorrow', stream: true });
    expect(body.max_tokens).toBeGreaterThanOrEqual(4_096);
  });

  it('contains the system prompt, marked for caching', async () => {
    const { body } = await send({ systemPrompt: 'You are Ada.' });
    expect(body.system).toEqual([{ type: 'text', text: 'You are Ada.', cache_control }]);
  });

  it('a request to Anthropic ends with the text that changes with every request, after everything that is marked for caching', async () => {
    const first = await send({ ...sample.conversation, situation: 'It is Tuesday.' });
    const second = await send({ ...sample.conversation, situation: 'It is Wednesday.' });
    const before = JSON.stringify(first.body).split('It is Tuesday.');
    expect(JSON.stringify(second.body).split('It is Wednesday.')).toEqual(before);
    const last = (first.body.messages as { content: object[] }[]).at(-1);
    expect(last?.content.at(-1)).toEqual({ type: 'text', text: 'It is Tuesday.' });
    expect(last?.content.at(-2)).toMatchObject({ cache_control });
  });

  it('omits an empty system prompt and an empty list of tools', async () => {
    const { body } = await send({ systemPrompt: '' });
    expect(body).not.toHaveProperty('system');
    expect(body).not.toHaveProperty('tools');
  });

  it('contains images as base64 blocks after the text', async () => {
    const { body } = await send(sample.imageConversation);
    const [text, missing] = sample.imageTexts;
    const source = {
      type: 'base64',
      media_type: 'image/jpeg',
      data: Buffer.from('a cat').toString('base64'),
    };
    expect(body.messages[0].content).toMatchObject([
      { type: 'text', text },
      { type: 'image', source },
      { type: 'text', text: missing },
    ]);
  });

  it('contains the whole conversation', async () => {
    const { body } = await send(sample.conversation);
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: sample.question }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I will look.' },
          { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'f1' } },
          { type: 'tool_use', id: 'call-2', name: 'look', input: { unreadable: '{"at":' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: '{"sees":"a cat"}' },
          {
            type: 'tool_result',
            tool_use_id: 'call-2',
            content: '{"error":"unreadable"}',
            is_error: true,
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'A cat.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Thanks', cache_control }] },
    ]);
  });

  it('describes the tools', async () => {
    const { body } = await send(sample.conversation);
    const [{ name, description, inputSchema }] = sample.conversation.tools as [
      (typeof sample.conversation.tools)[0],
    ];
    expect(body.tools).toMatchObject([{ name, description, input_schema: inputSchema }]);
    expect(body.tools).toHaveLength(1);
  });

  it('ignores API keys and addresses in the environment', async () => {
    process.env['ANTHROPIC_BASE_URL'] = 'http://127.0.0.1:1';
    process.env['ANTHROPIC_AUTH_TOKEN'] = 'other';
    try {
      const { headers } = await send({});
      expect(headers).not.toHaveProperty('authorization');
    } finally {
      delete process.env['ANTHROPIC_BASE_URL'];
      delete process.env['ANTHROPIC_AUTH_TOKEN'];
    }
  });
});

describe('an error that Anthropic reports in a stream', () => {
  it.each([
    ['overloaded_error', 'UNAVAILABLE'],
    ['api_error', 'UNAVAILABLE'],
    ['timeout_error', 'UNAVAILABLE'],
    ['rate_limit_error', 'RATE_LIMITED'],
    ['authentication_error', 'FAILED_PRECONDITION'],
    ['invalid_request_error', 'FAILED_PRECONDITION'],
  ])('the error %s becomes %s, both at the start of the stream and later', async (type, code) => {
    const error = `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message: 'Hello' } })}\n\n`;
    const events = anthropicWire.events({ text: ['a', 'b'] });
    model.server.reply({ steps: [error] }, { steps: [...events.slice(0, 4), error] });
    const provider = anthropicWire.makeProvider(model.server.url);
    for (const failure of [await failureOf(provider), await failureOf(provider)]) {
      expect(failure).toMatchObject({ code });
      expect(String(failure.cause)).toContain(type);
      expect(String(failure.cause)).not.toContain('Hello');
    }
  });
});

describe('usage that Anthropic reports', () => {
  it('tokens written to the cache count as input, but not as cached input', async () => {
    const usage = { input: 1_500, output: 7, cached: 900, created: 400 };
    model.server.reply({ steps: anthropicWire.events({ text: ['x'], usage }) });
    expect((await ask(anthropicWire.makeProvider(model.server.url))).usage).toEqual({
      inputTokens: 1_500,
      outputTokens: 7,
      cachedInputTokens: 900,
    });
  });
});

describe('keep-alives from Anthropic', () => {
  it('keep-alives from Anthropic prevent a slow answer from timing out', async () => {
    const ping = `event: ping\ndata: {"type":"ping"}\n\n`;
    const events = anthropicWire.events({ text: ['a', 'b'] });
    const pings = Array.from({ length: 25 }, (_, index) => [
      { until: wait(50 * (index + 1)) },
      ping,
    ]).flat();
    model.server.reply({ steps: [...events.slice(0, 4), ...pings, ...events.slice(4)] });
    const limits = { overallMs: 60_000, idleMs: 1_000 };
    const { text } = await ask(anthropicWire.makeProvider(model.server.url, limits));
    expect(text).toBe('ab');
  });
});
