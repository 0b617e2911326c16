import { describe, expect, it } from '@jest/globals';
import { ask, failureOf } from '../../../test-support/model/ask-model';
import { googleWire, invalidGoogleKey } from '../../../test-support/model/google-wire';
import { sample } from '../../../test-support/model/sample-conversation';
import { useModelServer } from '../../../test-support/model/use-model-server';

const model = useModelServer();

const provider = () => googleWire.makeProvider(model.server.url);
const replyWith = (answer: Parameters<typeof googleWire.events>[0]) =>
  model.server.reply({ steps: googleWire.events(answer) });

describe('the Google provider', () => {
  it('streams text and reports the tokens, with cached ones as part of the input', async () => {
    replyWith({ text: ['Hel', 'lo'], usage: { input: 20, output: 5, cached: 8 } });
    expect(await ask(provider(), { model: 'gemini-test' })).toMatchObject({
      text: 'Hello',
      deltas: ['Hel', 'lo'],
      usage: { inputTokens: 20, outputTokens: 5, cachedInputTokens: 8 },
    });
  });

  it('reads tool calls, each with its own id', async () => {
    const call = { id: '', name: 'look', fragments: ['{"at":"f1"}'] };
    replyWith({ calls: [call, call] });
    const { toolCalls } = await ask(provider());
    expect(toolCalls).toMatchObject([
      { name: 'look', argumentsJson: '{"at":"f1"}' },
      { name: 'look', argumentsJson: '{"at":"f1"}' },
    ]);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  it('sends the model, the key, the system prompt and the whole conversation', async () => {
    replyWith({ text: ['x'] });
    await ask(provider(), { ...sample.conversation, model: 'gemini-3-test', maxOutputTokens: 99 });
    const { path, headers, body } = model.server.lastRequest;
    expect(path).toBe('/v1/models/gemini-3-test:streamGenerateContent?alt=sse');
    expect(headers['x-goog-api-key']).toBe(googleWire.apiKey);
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: 'You are Ada.' }] },
      generationConfig: { maxOutputTokens: 99 },
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
    });
    expect(JSON.stringify(body.contents)).toContain('a cat');
    // Gemini 3 rejects earlier tool calls without a signature. A history holds none, so the SDK adds one.
    expect(JSON.stringify(body.contents)).toContain('thoughtSignature');
  });

  it('sends images as inline data after the text', async () => {
    replyWith({ text: ['x'] });
    await ask(provider(), sample.imageConversation);
    const [text, missing] = sample.imageTexts;
    const data = Buffer.from('a cat').toString('base64');
    expect(model.server.lastRequest.body.contents[0]).toMatchObject({
      role: 'user',
      parts: [{ text }, { inlineData: { mimeType: 'image/jpeg', data } }, { text: missing }],
    });
  });

  it('recognises a wrong key, although it is reported with the status of a bad request', async () => {
    model.server.reply(invalidGoogleKey);
    expect(await failureOf(provider())).toMatchObject({
      verdict: 'key',
      message: 'the model provider rejected the API key',
    });
  });

  it.each([
    [400, 'refused'],
    [403, 'forbidden'],
    [404, 'missing'],
    [429, 'limited'],
    [503, 'unavailable'],
  ])('classifies status %d as %s', async (status, verdict) => {
    model.server.reply(googleWire.error(status, 'secret text'));
    const failure = await failureOf(provider());
    expect(failure).toMatchObject({ verdict });
    expect(failure.message).not.toContain('secret');
  });
});
