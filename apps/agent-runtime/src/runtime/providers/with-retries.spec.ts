import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode, type ErrorDetails } from '@daycare/errors';
import { noUsage } from '../../domain/history-record';
import { anthropicWire } from '../../test-support/anthropic-wire';
import { ask, failureOf, newRequest } from '../../test-support/ask-model';
import { cut, ModelServer } from '../../test-support/model-server';
import { openAiWire } from '../../test-support/openai-wire';
import type { ModelProvider, ModelRequest } from '../model-provider';
import { retryLimits, withRetries } from './with-retries';

type Turn = (request: ModelRequest) => void;

/** A provider that takes one turn after the other; it answers when none is left. */
class Scripted implements ModelProvider {
  readonly name = 'scripted';
  readonly defaultModel = 'one';
  readonly #turns: Turn[];
  calls = 0;

  constructor(...turns: readonly Turn[]) {
    this.#turns = [...turns];
  }

  async answer(request: ModelRequest) {
    this.calls += 1;
    this.#turns.shift()?.(request);
    return { text: 'done', toolCalls: [], usage: noUsage };
  }
}

const failing =
  (code: ErrorCode, details: ErrorDetails = {}): Turn =>
  () => {
    throw new AppError(code, 'no', details);
  };

const always = (turn: Turn): Turn[] => Array.from({ length: 20 }, () => turn);

/** Sleeps take no time here; what they would have taken is noted. */
function newSleeps(random = 0.5) {
  const waits: number[] = [];
  return { waits, parts: { random: () => random, sleep: async (ms: number) => waits.push(ms) } };
}

describe('a provider with retries', () => {
  it('is otherwise the same', async () => {
    const provider = withRetries(new Scripted());
    expect(provider).toMatchObject({ name: 'scripted', defaultModel: 'one' });
    expect(await ask(provider)).toMatchObject({ text: 'done' });
  });

  it.each<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED'])('is asked again after %s', async (code) => {
    const scripted = new Scripted(failing(code), failing(code), failing(code));
    expect(await ask(withRetries(scripted, newSleeps().parts))).toMatchObject({ text: 'done' });
    expect(scripted.calls).toBe(4);
  });

  it('gives up after three more tries with the last failure', async () => {
    const scripted = new Scripted(...always(failing('UNAVAILABLE')));
    const { waits, parts } = newSleeps();
    expect(await failureOf(withRetries(scripted, parts))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(scripted.calls).toBe(4);
    expect(waits).toHaveLength(3);
  });

  it.each<ErrorCode>(['FAILED_PRECONDITION', 'CANCELLED', 'INTERNAL'])(
    'is not asked again after %s',
    async (code) => {
      const scripted = new Scripted(failing(code));
      expect(await failureOf(withRetries(scripted, newSleeps().parts))).toMatchObject({ code });
      expect(scripted.calls).toBe(1);
    },
  );

  it('is not asked again after a fault of our own', async () => {
    const scripted = new Scripted(() => {
      throw new TypeError('a bug');
    });
    const failure = await failureOf(withRetries(scripted, newSleeps().parts));
    expect(failure.message).toBe('a bug');
    expect(scripted.calls).toBe(1);
  });

  it.each([
    [0, [0, 0, 0]],
    [0.5, [250, 500, 1_000]],
    [1, [500, 1_000, 2_000]],
  ])('waits for a part of a doubling time: %s of it', async (random, expected) => {
    const { waits, parts } = newSleeps(random);
    await failureOf(withRetries(new Scripted(...always(failing('UNAVAILABLE'))), parts));
    expect(waits).toEqual(expected);
  });

  it('waits as long as the provider wants and a little longer', async () => {
    const { waits, parts } = newSleeps(0.5);
    const limited = failing('RATE_LIMITED', { retryAfterMs: 7_000 });
    await ask(withRetries(new Scripted(limited), parts));
    expect(waits).toEqual([7_250]);
  });

  it('does not wait for a provider that wants to be left alone for long', async () => {
    const { waits, parts } = newSleeps();
    const retryAfterMs = retryLimits.maxRetryAfterMs + 1;
    const scripted = new Scripted(failing('RATE_LIMITED', { retryAfterMs }));
    const failure = await failureOf(withRetries(scripted, parts));
    expect(failure).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs } });
    expect({ waits, calls: scripted.calls }).toEqual({ waits: [], calls: 1 });
  });

  it('is not asked again once its caller is gone', async () => {
    const caller = new AbortController();
    const scripted = new Scripted((request) => {
      caller.abort();
      failing('UNAVAILABLE')(request);
    });
    const { waits, parts } = newSleeps();
    await failureOf(withRetries(scripted, parts), { signal: caller.signal });
    expect({ waits, calls: scripted.calls }).toEqual({ waits: [], calls: 1 });
  });

  it('wakes up when its caller goes away, and is not asked again', async () => {
    const caller = new AbortController();
    const scripted = new Scripted(failing('UNAVAILABLE', { retryAfterMs: 29_000 }));
    const log = { warn: () => caller.abort() };
    const failure = await failureOf(withRetries(scripted, { log }), { signal: caller.signal });
    expect(failure).toMatchObject({ name: 'AppError', code: 'CANCELLED' });
    expect(scripted.calls).toBe(1);
  });

  it('says that it begins anew before the pieces of another attempt', async () => {
    const seen: string[] = [];
    const speak =
      (text: string, then: Turn = () => undefined): Turn =>
      (request) => {
        request.onDelta(text);
        then(request);
      };
    const scripted = new Scripted(speak('Hel', failing('UNAVAILABLE')), speak('Hello'));
    const onDelta = (text: string): void => void seen.push(text);
    const onRestart = (): void => void seen.push('anew');
    await ask(withRetries(scripted, newSleeps().parts), { onDelta, onRestart });
    expect(seen).toEqual(['Hel', 'anew', 'Hello']);
  });

  it('drops what a failed attempt still says', async () => {
    const seen: string[] = [];
    let straggler: Turn = () => undefined;
    const scripted = new Scripted(
      (request) => {
        straggler = () => request.onDelta('late');
        failing('UNAVAILABLE')(request);
      },
      (request) => {
        straggler(request);
        request.onDelta('new');
      },
    );
    const onDelta = (text: string): void => void seen.push(text);
    await ask(withRetries(scripted, newSleeps().parts), { onDelta });
    expect(seen).toEqual(['new']);
  });

  it('logs every failure that it makes good', async () => {
    const lines: object[] = [];
    const log = { warn: (fields: object) => void lines.push(fields) };
    const scripted = new Scripted(failing('UNAVAILABLE'));
    await withRetries(scripted, { ...newSleeps(0).parts, log }).answer(newRequest());
    expect(lines).toMatchObject([{ provider: 'scripted', failures: 1, waitMs: 0 }]);
  });
});

describe.each([anthropicWire, openAiWire])('retries over the wire to $name', (wire) => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.close());

  it('make good a rate limit and a cut connection', async () => {
    const events = wire.events({ text: ['Hello', ' Bob'] });
    const limited = wire.error(429, 'slow down', { 'retry-after': '2' });
    server.reply(limited, cut, { steps: [...events.slice(0, 2), cut] }, { steps: events });
    const { waits, parts } = newSleeps(0);
    const { text } = await ask(withRetries(wire.makeProvider(server.url), parts));
    expect(text).toBe('Hello Bob');
    expect(waits).toEqual([2_000, 0, 0]);
    expect(server.requests).toHaveLength(4);
  });

  it('do not repeat a request that was refused', async () => {
    server.reply(wire.error(400, 'bad'));
    const failure = await failureOf(withRetries(wire.makeProvider(server.url), newSleeps().parts));
    expect(failure).toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(server.requests).toHaveLength(1);
  });
});
