import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { LiveEvent } from '../../messaging/events/live-feed';
import { localProvider } from '../../models/providers/local-provider';
import { countCharacters } from './split-delta';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';

const runtime = useFixture(() => startTestRuntime());

it('an answer that arrives in one piece of more than a megabyte is recorded and reaches watchers in full, in pieces', async () => {
  const long = '😀 is long. '.repeat(120_000);
  let modelCalls = 0;
  const stopServing = await serveNext(runtime, {
    ...localProvider,
    async answer({ onDelta }) {
      modelCalls += 1;
      await stored;
      onDelta('First: ');
      onDelta(long);
      const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
      return { text: `First: ${long}`, toolCalls: [], usage };
    },
  });
  const agent = await runtime.newAgent();
  const events: LiveEvent[] = [];
  const stop = runtime.feed.watchAgent(agent.id, (event) => void events.push(event));
  // Deltas are published once the message is stored.
  const stored = eventually(async () => events.some(({ kind }) => kind === 'advanced'));
  await runtime.say(agent, 'tell me');
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
  const deltas = await eventually(async () => {
    const deltaEvents = events.filter((event) => event.kind === 'delta');
    return deltaEvents.map(({ text }) => text).join('') === `First: ${long}` && deltaEvents;
  });
  let position = 0;
  for (const delta of deltas) {
    expect(delta.position).toBe(position);
    position += countCharacters(delta.text);
  }
  expect(modelCalls).toBe(1);
  stop();
  await stopServing();
});

it('publishing an event that is too large for the transport does not throw', () => {
  const text = 'x'.repeat(2 << 20);
  const delta = { kind: 'delta', text, attempt: 1, position: 0, afterSequence: 1 } as const;
  expect(() => runtime.feed.publishAgentEvent({ agentId: 'someone' }, delta)).not.toThrow();
});
