import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode, type ErrorDetails } from '@daycare/api';
import { disconnect, ModelServer } from '@daycare/testing';
import { noUsage } from '../../agents/domain/context/history-record';
import { anthropicWire } from '../../test-support/model/anthropic-wire';
import { ask, failureOf, newRequest } from '../../test-support/model/ask-model';
import { openAiWire } from '../../test-support/model/openai-wire';
import type { ModelProvider, ModelRequest } from './model-provider';
import { ProviderError } from './provider-error';
import { retryLimits, withRetries } from './with-retries';

type Reaction = (request: ModelRequest) => void;

/** A provider that plays one scripted reaction per call, then answers. */
class ScriptedProvider implements ModelProvider {
  readonly name = 'scripted';
  readonly #reactions: Reaction[];
  calls = 0;

  constructor(...reactions: readonly Reaction[]) {
    this.#reactions = [...reactions];
  }

  async answer(request: ModelRequest) {
    this.calls += 1;
    this.#reactions.shift()?.(request);
    return { text: 'done', toolCalls: [], usage: noUsage };
  }
}

const failing =
  (code: ErrorCode, details: ErrorDetails = {}): Reaction =>
  () => {
    throw new AppError(code, 'no', details);
  };

const always = (reaction: Reaction): Reaction[] => Array.from({ length: 20 }, () => reaction);

/** Records the requested delays instead of waiting. */
function newSleeps(random = 0.5) {
  const waits: number[] = [];
  return { waits, deps: { random: () => random, sleep: async (ms: number) => waits.push(ms) } };
}

describe('withRetries', () => {
  it('keeps a provider’s name, and returns its answer when the call succeeds', async () => {
    const provider = withRetries(new ScriptedProvider());
    expect(provider).toMatchObject({ name: 'scripted' });
    expect(await ask(provider)).toMatchObject({ text: 'done' });
  });

  it.each<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED'])('retries after %s', async (code) => {
    const scripted = new ScriptedProvider(failing(code), failing(code), failing(code));
    expect(await ask(withRetries(scripted, newSleeps().deps))).toMatchObject({ text: 'done' });
    expect(scripted.calls).toBe(4);
  });

  it('gives up after three retries and throws the last failure', async () => {
    const scripted = new ScriptedProvider(...always(failing('UNAVAILABLE')));
    const { waits, deps } = newSleeps();
    expect(await failureOf(withRetries(scripted, deps))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(scripted.calls).toBe(4);
    expect(waits).toHaveLength(3);
  });

  it.each<ErrorCode>(['FAILED_PRECONDITION', 'CANCELLED', 'INTERNAL'])(
    'a model call is not retried after %s',
    async (code) => {
      const scripted = new ScriptedProvider(failing(code));
      expect(await failureOf(withRetries(scripted, newSleeps().deps))).toMatchObject({ code });
      expect(scripted.calls).toBe(1);
    },
  );

  it('a model call that took too long is not retried', async () => {
    const scripted = new ScriptedProvider(() => {
      throw new ProviderError('slow');
    });
    const failure = await failureOf(withRetries(scripted, newSleeps().deps));
    expect(failure).toMatchObject({ code: 'UNAVAILABLE' });
    expect(scripted.calls).toBe(1);
  });

  it('a model call is not retried after an error that is not an AppError', async () => {
    const scripted = new ScriptedProvider(() => {
      throw new TypeError('a bug');
    });
    const failure = await failureOf(withRetries(scripted, newSleeps().deps));
    expect(failure.message).toBe('a bug');
    expect(scripted.calls).toBe(1);
  });

  it.each([
    [0, [0, 0, 0]],
    [0.5, [250, 500, 1_000]],
    [1, [500, 1_000, 2_000]],
  ])('multiplies a doubling delay by the random number %s', async (random, expected) => {
    const { waits, deps } = newSleeps(random);
    await failureOf(withRetries(new ScriptedProvider(...always(failing('UNAVAILABLE'))), deps));
    expect(waits).toEqual(expected);
  });

  it('waits a little longer than the provider asks for', async () => {
    const { waits, deps } = newSleeps(0.5);
    const limited = failing('RATE_LIMITED', { retryAfterMs: 1_000 });
    await ask(withRetries(new ScriptedProvider(limited), deps));
    expect(waits).toEqual([1_250]);
  });

  it('a model call is not retried when the provider asks for a long delay', async () => {
    const { waits, deps } = newSleeps();
    const retryAfterMs = retryLimits.maxRetryAfterMs + 1;
    const scripted = new ScriptedProvider(failing('RATE_LIMITED', { retryAfterMs }));
    const failure = await failureOf(withRetries(scripted, deps));
    expect(failure).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs } });
    expect({ waits, calls: scripted.calls }).toEqual({ waits: [], calls: 1 });
  });

  it('a model call is not retried after the caller has cancelled', async () => {
    const caller = new AbortController();
    const scripted = new ScriptedProvider((request) => {
      caller.abort();
      failing('UNAVAILABLE')(request);
    });
    const { waits, deps } = newSleeps();
    await failureOf(withRetries(scripted, deps), { signal: caller.signal });
    expect({ waits, calls: scripted.calls }).toEqual({ waits: [], calls: 1 });
  });

  it('stops waiting when the caller cancels, and does not retry', async () => {
    const caller = new AbortController();
    const scripted = new ScriptedProvider(failing('UNAVAILABLE', { retryAfterMs: 1_900 }));
    const log = { warn: () => caller.abort() };
    const failure = await failureOf(withRetries(scripted, { log }), { signal: caller.signal });
    expect(failure).toMatchObject({ name: 'AppError', code: 'CANCELLED' });
    expect(scripted.calls).toBe(1);
  });

  it('announces a restart before the deltas of the next attempt', async () => {
    const seen: string[] = [];
    const speak =
      (text: string, then: Reaction = () => undefined): Reaction =>
      (request) => {
        request.onDelta(text);
        then(request);
      };
    const scripted = new ScriptedProvider(speak('Hel', failing('UNAVAILABLE')), speak('Hello'));
    const onDelta = (text: string): void => void seen.push(text);
    const onRestart = (): void => void seen.push('restart');
    await ask(withRetries(scripted, newSleeps().deps), { onDelta, onRestart });
    expect(seen).toEqual(['Hel', 'restart', 'Hello']);
  });

  it('drops late deltas from a failed attempt', async () => {
    const seen: string[] = [];
    let straggler: Reaction = () => undefined;
    const scripted = new ScriptedProvider(
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
    await ask(withRetries(scripted, newSleeps().deps), { onDelta });
    expect(seen).toEqual(['new']);
  });

  it('logs every failure after which it retries', async () => {
    const lines: object[] = [];
    const log = { warn: (fields: object) => void lines.push(fields) };
    const scripted = new ScriptedProvider(failing('UNAVAILABLE'));
    await withRetries(scripted, { ...newSleeps(0).deps, log }).answer(newRequest());
    expect(lines).toMatchObject([{ provider: 'scripted', failures: 1, waitMs: 0 }]);
  });
});

describe.each([anthropicWire, openAiWire])('retries over the wire to $name', (wire) => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.close());

  it('recovers from a rate limit and broken connections', async () => {
    const events = wire.events({ text: ['Hello', ' Bob'] });
    const limited = wire.error(429, 'slow down', { 'retry-after': '2' });
    server.reply(
      limited,
      disconnect,
      { steps: [...events.slice(0, 2), disconnect] },
      { steps: events },
    );
    const { waits, deps } = newSleeps(0);
    const { text } = await ask(withRetries(wire.makeProvider(server.url), deps));
    expect(text).toBe('Hello Bob');
    expect(waits).toEqual([2_000, 0, 0]);
    expect(server.requests).toHaveLength(4);
  });

  it('a rejected model request is not retried', async () => {
    server.reply(wire.error(400, 'bad'));
    const failure = await failureOf(withRetries(wire.makeProvider(server.url), newSleeps().deps));
    expect(failure).toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(server.requests).toHaveLength(1);
  });
});
