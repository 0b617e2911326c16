import { describe, expect, it } from '@jest/globals';
import { eventually, hang } from '@daycare/testing';
import { anthropicWire } from '../../test-support/model/anthropic-wire';
import { failureOf } from '../../test-support/model/ask-model';
import { openAiVendorWire } from '../../test-support/model/openai-vendor-wire';
import { openAiWire } from '../../test-support/model/openai-wire';
import { useModelServer } from '../../test-support/model/use-model-server';

const model = useModelServer();

describe.each([anthropicWire, openAiWire, openAiVendorWire])('the $name provider', (wire) => {
  const provider = (limits?: { overallMs: number; idleMs: number }) =>
    wire.makeProvider(model.server.url, limits);

  describe('timeouts', () => {
    it('gives up on a server that never answers, and disconnects', async () => {
      model.server.reply(hang);
      const failure = await failureOf(provider({ overallMs: 60_000, idleMs: 1_000 }));
      expect(failure).toMatchObject({
        code: 'UNAVAILABLE',
        message: 'the model provider took too long to answer',
      });
      await eventually(() => model.server.hangUps === 1);
    });

    it('gives up on an answer that stalls, and disconnects', async () => {
      const events = wire.events({ text: ['Hello', ' Bob'] });
      model.server.reply({ steps: [...events.slice(0, 4), hang] });
      const failure = await failureOf(provider({ overallMs: 60_000, idleMs: 1_000 }));
      expect(failure).toMatchObject({ code: 'UNAVAILABLE' });
      await eventually(() => model.server.hangUps === 1);
    });

    it('gives up on an answer that exceeds the overall limit', async () => {
      const events = wire.events({ text: ['Hello', ' Bob'] });
      model.server.reply({ steps: [...events.slice(0, 4), hang] });
      const failure = await failureOf(provider({ overallMs: 100, idleMs: 60_000 }));
      expect(failure).toMatchObject({
        code: 'UNAVAILABLE',
        message: 'the model provider took too long to answer',
      });
    });
  });

  describe('cancellation', () => {
    it('makes no request for a caller that has cancelled', async () => {
      const failure = await failureOf(provider(), { signal: AbortSignal.abort() });
      expect(failure).toMatchObject({ code: 'CANCELLED' });
      expect(model.server.requests).toEqual([]);
    });

    it('disconnects when cancelled before the answer has started', async () => {
      const caller = new AbortController();
      model.server.reply(hang);
      const failing = failureOf(provider(), { signal: caller.signal });
      await eventually(() => model.server.requests.length === 1);
      caller.abort();
      expect(await failing).toMatchObject({ name: 'AppError', code: 'CANCELLED' });
      await eventually(() => model.server.hangUps === 1);
    });

    it('disconnects when cancelled in the middle of an answer', async () => {
      const caller = new AbortController();
      const events = wire.events({ text: ['Hello', ' Bob'] });
      model.server.reply({ steps: [...events.slice(0, 4), hang] });
      const onDelta = () => caller.abort();
      const failure = await failureOf(provider(), { signal: caller.signal, onDelta });
      expect(failure).toMatchObject({ name: 'AppError', code: 'CANCELLED' });
      await eventually(() => model.server.hangUps === 1);
    });
  });
});
