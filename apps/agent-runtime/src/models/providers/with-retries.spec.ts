import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode, type ErrorDetails } from '@daycare/api';
import { cut, ModelServer } from '@daycare/testing';
import { noUsage } from '../../agents/domain/context/history-record';
import { anthropicWire } from '../../test-support/model/anthropic-wire';
import { ask, failureOf, newRequest } from '../../test-support/model/ask-model';
import { openAiWire } from '../../test-support/model/openai-wire';
import type { ModelProvider, ModelRequest } from '../model-provider';
import { ProviderError } from './provider-error';
import { retryLimits, withRetries } from './with-retries';

type Reaction = (request: ModelRequest) => void;

/** A provider that plays one scripted reaction per call, then answers. */
class Scripted implements ModelProvider {
  readonly name = 'scripted';
  readonly #turns: Reaction[];
  calls = 0;

  constructor(...turns: readonly Reaction[]) {
    this.#turns = [...turns];
  }

  async answer(request: ModelRequest) {
    this.calls += 1;
    this.#turns.shift()?.(request);
    return { text: 'done', toolCalls: [], usage: noUsage };
  }
}

const failing =
  (code: ErrorCode, details: ErrorDetails = {}): Reaction =>
  () => {
    throw new AppError(code, 'no', details);
  };

const always = (turn: Reaction): Reaction[] => Array.from({ length: 20 }, () => turn);

/** Records the requested delays instead of waiting. */
function newSleeps(random = 0.5) {
  const waits: number[] = [];
  return { waits, deps: { random: () => random, sleep: async (ms: number) => waits.push(ms) } };
}

describe('withRetries', () => {
  it('leaves a provider that succeeds unchanged', async () => {
    const provider = withRetries(new Scripted());
    expect(provider).toMatchObject({ name: 'scripted' });
    expect(await ask(provider)).toMatchObject({ text: 'done' });
  });

  it.each<ErrorCode>(['UNAVAILABLE', 'RATE_LIMITED'])('retries after %s', async (code) => {
    const scripted = new Scripted(failing(code), failing(code), failing(code));
    expect(await ask(withRetries(scripted, newSleeps().deps))).toMatchObject({ text: 'done' });
    expect(scripted.calls).toBe(4);
  });

  it('gives up after three retries with the last failure', async () => {
    const scripted = new Scripted(...always(failing('UNAVAILABLE')));
    const { waits, deps } = newSleeps();
    expect(await failureOf(withRetries(scripted, deps))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(scripted.calls).toBe(4);
    expect(waits).toHaveLength(3);
  });

  it.each<ErrorCode>(['FAILED_PRECONDITION', 'CANCELLED', 'INTERNAL'])(
    'does not retry after %s',
    async (code) => {
      const scripted = new Scripted(failing(code));
      expect(await failureOf(withRetries(scripted, newSleeps().deps))).toMatchObject({ code });
      expect(scripted.calls).toBe(1);
    },
  );

  it('does not repeat a call that took too long', async () => {
    const scripted = new Scripted(() => {
      throw new ProviderError('slow');
    });
    const failure = await failureOf(withRetries(scripted, newSleeps().deps));
    expect(failure).toMatchObject({ code: 'UNAVAILABLE' });
    expect(scripted.calls).toBe(1);
  });

  it('does not retry after an internal error', async () => {
    const scripted = new Scripted(() => {
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
  ])('waits for the random share %s of a doubling delay', async (random, expected) => {
    const { waits, deps } = newSleeps(random);
    await failureOf(withRetries(new Scripted(...always(failing('UNAVAILABLE'))), deps));
    expect(waits).toEqual(expected);
  });

  it('waits a little longer than the provider asks for', async () => {
    const { waits, deps } = newSleeps(0.5);
    const limited = failing('RATE_LIMITED', { retryAfterMs: 1_000 });
    await ask(withRetries(new Scripted(limited), deps));
    expect(waits).toEqual([1_250]);
  });

  it('does not retry when the provider asks for a long delay', async () => {
    const { waits, deps } = newSleeps();
    const retryAfterMs = retryLimits.maxRetryAfterMs + 1;
    const scripted = new Scripted(failing('RATE_LIMITED', { retryAfterMs }));
    const failure = await failureOf(withRetries(scripted, deps));
    expect(failure).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs } });
    expect({ waits, calls: scripted.calls }).toEqual({ waits: [], calls: 1 });
  });

  it('does not retry after the caller has cancelled', async () => {
    const caller = new AbortController();
    const scripted = new Scripted((request) => {
      caller.abort();
      failing('UNAVAILABLE')(request);
    });
    const { waits, deps } = newSleeps();
    await failureOf(withRetries(scripted, deps), { signal: caller.signal });
    expect({ waits, calls: scripted.calls }).toEqual({ waits: [], calls: 1 });
  });

  it('stops waiting when the caller cancels, and does not retry', async () => {
    const caller = new AbortController();
    const scripted = new Scripted(failing('UNAVAILABLE', { retryAfterMs: 1_900 }));
    const log = { warn: () => caller.abort() };
    const failure = await failureOf(withRetries(scripted, { log }), { signal: caller.signal });
    expect(failure).toMatchObject({ name: 'AppError', code: 'CANCELLED' });
    expect(scripted.calls).toBe(1);
  });

  it('announces a restart before the deltas of another attempt', async () => {
    const seen: string[] = [];
    const speak =
      (text: string, then: Reaction = () => undefined): Reaction =>
      (request) => {
        request.onDelta(text);
        then(request);
      };
    const scripted = new Scripted(speak('Hel', failing('UNAVAILABLE')), speak('Hello'));
    const onDelta = (text: string): void => void seen.push(text);
    const onRestart = (): void => void seen.push('anew');
    await ask(withRetries(scripted, newSleeps().deps), { onDelta, onRestart });
    expect(seen).toEqual(['Hel', 'anew', 'Hello']);
  });

  it('drops late deltas of a failed attempt', async () => {
    const seen: string[] = [];
    let straggler: Reaction = () => undefined;
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
    await ask(withRetries(scripted, newSleeps().deps), { onDelta });
    expect(seen).toEqual(['new']);
  });

  it('logs every failure that it retries', async () => {
    const lines: object[] = [];
    const log = { warn: (fields: object) => void lines.push(fields) };
    const scripted = new Scripted(failing('UNAVAILABLE'));
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

  it('recovers from a rate limit and a cut connection', async () => {
    const events = wire.events({ text: ['Hello', ' Bob'] });
    const limited = wire.error(429, 'slow down', { 'retry-after': '2' });
    server.reply(limited, cut, { steps: [...events.slice(0, 2), cut] }, { steps: events });
    const { waits, deps } = newSleeps(0);
    const { text } = await ask(withRetries(wire.makeProvider(server.url), deps));
    expect(text).toBe('Hello Bob');
    expect(waits).toEqual([2_000, 0, 0]);
    expect(server.requests).toHaveLength(4);
  });

  it('does not repeat a rejected request', async () => {
    server.reply(wire.error(400, 'bad'));
    const failure = await failureOf(withRetries(wire.makeProvider(server.url), newSleeps().deps));
    expect(failure).toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(server.requests).toHaveLength(1);
  });
});
