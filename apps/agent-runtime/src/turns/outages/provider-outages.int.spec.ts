import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, ModelServer, type ModelServerReply } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { withRetries } from '../../models/providers/with-retries';
import { anthropicWire } from '../../test-support/model/anthropic-wire';
import { openAiWire } from '../../test-support/model/openai-wire';
import { TestClock } from '../../test-support/test-clock';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';

const minuteMs = 60_000;
const clock = new TestClock();
const runtime = useFixture(() => startTestRuntime({ now: clock.now, pollMs: 20 }));
const withoutWaiting = { sleep: async () => undefined };

const waitOf = async ({ id }: Agent) => {
  const work = (await runtime.history.findHead(id))?.state.current;
  return work?.notBefore && { notBefore: work.notBefore, count: work.waiting?.count ?? 0 };
};

/** Advances the clock past each of the agent's waits until it has answered. */
async function passWaits(agent: Agent): Promise<string[]> {
  for (let count = 1; ; count += 1) {
    const waits = await eventually(async () => {
      const wait = await waitOf(agent);
      if (wait && wait.count >= count) return wait;
      return (await runtime.textsOf(agent)).at(-1) === 'Here I am' && 'none';
    });
    if (waits === 'none') return runtime.textsOf(agent);
    clock.advance(Math.max(1, waits.notBefore.getTime() - clock.now().getTime()));
  }
}

describe.each([anthropicWire, openAiWire])('an agent whose model runs at $name', (wire) => {
  let server: ModelServer;
  let reply: () => ModelServerReply;
  /** When the model was called, by the test's clock. */
  let askedAt: number[];
  let agent: Agent;
  let stopServing: () => Promise<void>;
  const healthy = (): ModelServerReply => ({ steps: wire.events({ text: ['Here', ' I am'] }) });

  beforeEach(async () => {
    askedAt = [];
    server = await ModelServer.start(() => {
      askedAt.push(clock.now().getTime());
      return reply();
    });
    stopServing = await serveNext(
      runtime,
      withRetries(wire.makeProvider(server.url), withoutWaiting),
    );
    agent = await runtime.newAgent();
  });
  afterEach(async () => {
    await stopServing();
    await server.close();
  });

  /** Sends a message, waits for the answer, and returns what the history has between the two. */
  async function survive(): Promise<string[]> {
    await runtime.say(agent, 'hello');
    const [start, hello, ...others] = await passWaits(agent);
    expect([start, hello, others.pop()]).toEqual(['start', 'hello', 'Here I am']);
    const reader = { userId: agent.userId };
    const page = { reader, agentId: agent.id, after: undefined, limit: 10 };
    expect(await runtime.deadLetters.list(page)).toEqual([]);
    // The item is settled after its answer was recorded.
    await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
    return others;
  }

  it('an agent waits out a 429 with Retry-After: 60, leaves one note and then answers', async () => {
    const limited = wire.error(429, 'slow down', { 'retry-after': '60' });
    reply = () => (askedAt.length === 1 ? limited : healthy());
    expect(await survive()).toEqual([expect.stringContaining(`waiting for ${wire.name}`)]);
    expect(askedAt).toHaveLength(2);
    expect(askedAt[1]! - askedAt[0]!).toBeGreaterThanOrEqual(minuteMs);
  });

  it('an agent waits out ten minutes of 500, 502, 503, 529 and 504, leaves one note and then answers', async () => {
    const statuses = [500, 502, 503, 529, 504];
    const isOver = (): boolean => clock.now().getTime() - askedAt[0]! > 10 * minuteMs;
    reply = () =>
      isOver() ? healthy() : wire.error(statuses[askedAt.length % statuses.length]!, 'down');
    expect(await survive()).toEqual([expect.stringContaining(`waiting for ${wire.name}`)]);
    expect(askedAt.at(-1)! - askedAt[0]!).toBeGreaterThan(10 * minuteMs);
    // Four requests per try; the waits between the tries grow.
    expect(askedAt.length).toBeLessThan(80);
  });
});
