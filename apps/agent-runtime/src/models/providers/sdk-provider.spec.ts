import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { disconnect, ModelServer, type ReplyStep } from '@daycare/testing';
import { TooLongError } from '../domain/too-long-error';
import { anthropicWire } from '../../test-support/model/anthropic-wire';
import { ask, failureOf } from '../../test-support/model/ask-model';
import { openAiVendorWire } from '../../test-support/model/openai-vendor-wire';
import { openAiWire } from '../../test-support/model/openai-wire';
import { newGate } from '../../test-support/test-files';

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(() => server.close());

const secretText = 'sk-ant-test-0123456789 sk-test-0123456789 Hello';

describe.each([anthropicWire, openAiWire, openAiVendorWire])('the $name provider', (wire) => {
  const provider = (limits?: { overallMs: number; idleMs: number }) =>
    wire.makeProvider(server.url, limits);
  const replyWith = (...steps: readonly ReplyStep[]) => server.reply({ steps });

  describe('answering', () => {
    it('streams text in the pieces in which it arrives', async () => {
      replyWith(...wire.events({ text: ['Hel', 'lo, ', 'Bob'] }));
      const { text, deltas, toolCalls } = await ask(provider());
      expect({ text, deltas, toolCalls }).toEqual({
        text: 'Hello, Bob',
        deltas: ['Hel', 'lo, ', 'Bob'],
        toolCalls: [],
      });
    });

    it('passes on each piece before the next arrives', async () => {
      const seen = newGate();
      const events = wire.events({ text: ['one', 'two'] });
      const at = events.findIndex((event) => event.includes('two'));
      replyWith(...events.slice(0, at), { until: seen.opened }, ...events.slice(at));
      const { text } = await ask(provider(), { onDelta: () => seen.open() });
      expect(text).toBe('onetwo');
    });

    it('reads characters whose bytes arrive in different chunks', async () => {
      const bytes = Buffer.from(wire.events({ text: ['Grüße ', '👩‍🚀 日本'] }).join(''));
      replyWith(...Array.from(bytes, (byte) => Buffer.from([byte])));
      const { text, deltas } = await ask(provider());
      expect(text).toBe('Grüße 👩‍🚀 日本');
      expect(deltas).toEqual(['Grüße ', '👩‍🚀 日本']);
    });

    it('reads many events from one chunk', async () => {
      replyWith(wire.events({ text: ['a', 'b', 'c'] }).join(''));
      expect((await ask(provider())).deltas).toEqual(['a', 'b', 'c']);
    });

    it('reads a tool call whose arguments arrive in fragments', async () => {
      const fragments = ['{"ci', 'ty":"M', 'ünchen"', '}'];
      replyWith(...wire.events({ calls: [{ id: 'call_1', name: 'weather', fragments }] }));
      const { text, toolCalls } = await ask(provider());
      expect(text).toBe('');
      expect(toolCalls).toEqual([
        { id: 'call_1', name: 'weather', argumentsJson: '{"city":"München"}' },
      ]);
    });

    it('reads text and several tool calls in order', async () => {
      const calls = ['a', 'b', 'c'].map((id, index) => ({
        id,
        name: `tool_${id}`,
        fragments: ['{"n"', `:${index}}`],
      }));
      replyWith(...wire.events({ text: ['I will look.'], calls }));
      const { text, toolCalls } = await ask(provider());
      expect(text).toBe('I will look.');
      expect(toolCalls).toEqual([
        { id: 'a', name: 'tool_a', argumentsJson: '{"n":0}' },
        { id: 'b', name: 'tool_b', argumentsJson: '{"n":1}' },
        { id: 'c', name: 'tool_c', argumentsJson: '{"n":2}' },
      ]);
    });

    it('passes on malformed arguments unchanged', async () => {
      replyWith(...wire.events({ calls: [{ id: 'a', name: 'look', fragments: ['{"x":'] }] }));
      expect((await ask(provider())).toolCalls[0]?.argumentsJson).toBe('{"x":');
    });

    it('treats missing arguments as an empty object', async () => {
      replyWith(...wire.events({ calls: [{ id: 'a', name: 'look', fragments: [] }] }));
      expect((await ask(provider())).toolCalls[0]?.argumentsJson).toBe('{}');
    });

    it('makes duplicate call ids unique', async () => {
      const call = { id: 'same', name: 'look', fragments: ['{}'] };
      replyWith(...wire.events({ calls: [call, call, call] }));
      const ids = (await ask(provider())).toolCalls.map(({ id }) => id);
      expect(ids[0]).toBe('same');
      expect(new Set(ids).size).toBe(3);
    });

    it('reports token usage, with cached tokens as part of the input', async () => {
      replyWith(
        ...wire.events({ text: ['x'], usage: { input: 1_200, output: 34, cached: 1_000 } }),
      );
      expect((await ask(provider())).usage).toEqual({
        inputTokens: 1_200,
        outputTokens: 34,
        cachedInputTokens: 1_000,
      });
    });

    it('leaves out the model’s reasoning', async () => {
      replyWith(...wire.events({ thinking: ['Hm, ', 'a greeting.'], text: ['Hello'] }));
      const deltas: string[] = [];
      const { text } = await ask(provider(), { onDelta: (piece) => void deltas.push(piece) });
      expect([text, deltas]).toEqual(['Hello', ['Hello']]);
    });

    it('makes exactly one request per answer', async () => {
      replyWith(...wire.events({ text: ['x'] }));
      await ask(provider());
      expect(server.requests).toHaveLength(1);
      expect(server.lastRequest).toMatchObject({ method: 'POST', body: { stream: true } });
    });
  });

  describe('failures', () => {
    it.each([
      [400, 'FAILED_PRECONDITION', 'the model provider rejected the request'],
      [401, 'FAILED_PRECONDITION', 'the model provider rejected the API key'],
      [403, 'FAILED_PRECONDITION', 'the model provider does not allow this model for the API key'],
      [404, 'FAILED_PRECONDITION', 'the model provider does not have this model'],
      [408, 'UNAVAILABLE', 'the model provider is not available right now'],
      [413, 'FAILED_PRECONDITION', 'the conversation is too long'],
      [429, 'RATE_LIMITED', 'the model provider is limiting requests right now'],
      [500, 'UNAVAILABLE', 'the model provider is not available right now'],
      [503, 'UNAVAILABLE', 'the model provider is not available right now'],
      [529, 'UNAVAILABLE', 'the model provider is not available right now'],
    ])('explains status %s in plain words', async (status, code, text) => {
      server.reply(status < 500 ? wire.error(status, secretText) : { status, steps: [secretText] });
      const failure = await failureOf(provider());
      expect(failure).toMatchObject({ name: 'AppError', code });
      expect(failure.message).toContain(text);
    });

    it.each([400, 401, 429, 500])(
      'reveals no API key, address, prompt or provider text after status %s',
      async (status) => {
        server.reply(wire.error(status, secretText));
        const failure = await failureOf(provider());
        const shown = [failure.message, JSON.stringify(failure.details), String(failure.cause)];
        for (const secret of [wire.apiKey, server.url, 'Hello', 'You are Ada'])
          expect(shown.join(' ')).not.toContain(secret);
        expect(Object.keys(failure.cause as object)).toEqual([]);
      },
    );

    it('keeps the status and the request id in the error’s cause, for the log', async () => {
      server.reply(wire.error(429, secretText));
      const { cause } = await failureOf(provider());
      expect(String(cause)).toContain('AI_APICallError, status 429');
      expect(String(cause)).toContain('request req_test');
    });

    it.each([
      [{ 'retry-after': '7' }, 7_000],
      [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
      [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
      [{ 'retry-after': 'soon' }, undefined],
      [{}, undefined],
    ])('reads the retry delay from %j', async (headers, retryAfterMs) => {
      server.reply(wire.error(429, 'slow down', headers));
      expect((await failureOf(provider())).details.retryAfterMs).toBe(retryAfterMs);
    });

    it('fails when the provider reports an error in the middle of an answer', async () => {
      const [first = '', ...rest] = wire.events({ text: ['Hel', 'lo'] });
      replyWith(first, ...rest.slice(0, 2), wire.overloaded);
      expect(await failureOf(provider())).toMatchObject({ code: 'UNAVAILABLE' });
    });

    it('fails when the provider reports an error instead of an answer', async () => {
      replyWith(wire.overloaded);
      expect(await failureOf(provider())).toMatchObject({ code: 'UNAVAILABLE' });
    });

    it.each([
      ['is interrupted because the connection breaks', disconnect],
      ['ends without its last events', ''],
    ])('passes on the pieces that arrived, then fails, when an answer %s', async (_, end) => {
      const events = wire.events({ text: ['Hello', ' Bob'] });
      const at = events.findIndex((event) => event.includes(' Bob'));
      const seen = newGate();
      const deltas: string[] = [];
      replyWith(...events.slice(0, at), { until: seen.opened }, end);
      const onDelta = (text: string): void => {
        deltas.push(text);
        seen.open();
      };
      expect(await failureOf(provider(), { onDelta })).toMatchObject({ code: 'UNAVAILABLE' });
      expect(deltas).toEqual(['Hello']);
    });

    it.each([
      ['an empty answer', ''],
      ['a response that is not an answer', '<html>Welcome</html>'],
      ['an event that is not JSON', 'data: {"type": nonsense\n\n'],
      ['an event of an unknown shape', 'data: {"hello":"world"}\n\n'],
    ])('fails on %s', async (_, body) => {
      replyWith(body);
      expect(await failureOf(provider())).toMatchObject({ code: 'UNAVAILABLE' });
    });

    it('fails when the connection breaks before an answer', async () => {
      server.reply(disconnect);
      expect(await failureOf(provider())).toMatchObject({ code: 'UNAVAILABLE' });
    });

    it('fails when the connection is refused', async () => {
      const closed = await ModelServer.start();
      const { url } = closed;
      await closed.close();
      const failure = await failureOf(wire.makeProvider(url));
      expect(failure).toMatchObject({ code: 'UNAVAILABLE' });
      expect(String(failure.cause)).not.toContain('127.0.0.1');
    });

    it('a provider does not follow a redirect with its API key', async () => {
      const elsewhere = await ModelServer.start();
      server.reply({ status: 307, headers: { location: elsewhere.url }, steps: [] });
      expect(await failureOf(provider())).toMatchObject({ code: 'FAILED_PRECONDITION' });
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.close();
    });

    it('fails when the model declines to answer', async () => {
      replyWith(...wire.events({ text: ['I'], stop: wire.declined }));
      expect(await failureOf(provider())).toMatchObject({
        code: 'FAILED_PRECONDITION',
        message: 'the model declined to answer',
      });
    });

    it('truncates text that is too long for a record', async () => {
      replyWith(...wire.events({ text: ['€'.repeat(500_000), '€'.repeat(500_000)] }));
      const { text, isTruncated } = await ask(provider());
      expect(isTruncated).toBe(true);
      expect(Buffer.byteLength(text)).toBeGreaterThan(1_400_000);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_000_000);
    });

    it('truncates an answer whose tool arguments are too long', async () => {
      const call = { id: 'a', name: 'look', fragments: ['{"x":"', 'y'.repeat(2_500_000), '"}'] };
      replyWith(...wire.events({ text: ['Hello'], calls: [call] }));
      expect(await ask(provider())).toMatchObject({
        text: 'Hello',
        toolCalls: [],
        isTruncated: true,
      });
    });

    it('reports that an answer was truncated at its maximum length', async () => {
      replyWith(...wire.events({ text: ['Hel'], stop: wire.truncated }));
      expect(await ask(provider())).toMatchObject({ text: 'Hel', isTruncated: true });
    });

    it.each([
      'prompt is too long: 210000 tokens > 200000 maximum',
      "This model's maximum context length is 8192 tokens. However, you requested 9000",
      'the request exceeds the available context size',
    ])('recognises from the message %j that a request is too long', async (message) => {
      server.reply(wire.error(400, message));
      expect(await failureOf(provider())).toBeInstanceOf(TooLongError);
    });
  });
});
