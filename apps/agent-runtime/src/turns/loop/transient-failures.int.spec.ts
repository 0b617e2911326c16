import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AppError, type ErrorDetails } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider } from '../../models/providers/model-provider';
import { chooserOf } from '../../test-support/model/test-chooser';
import { buildTestDelivery, friendMail } from '../../test-support/test-endings';
import { TestClock } from '../../test-support/test-clock';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const clock = new TestClock();
const slots = { maxTurns: 1, maxTurnsPerUser: 1 };
const runtime = useFixture(() => startTestRuntime({ now: clock.now, slots, pollMs: 20 }));

/** While this is set, the provider fails with it, except for messages that contain "other". */
let failure: AppError | undefined;
const asked: Date[] = [];
const provider: ModelProvider = {
  ...localProvider,
  name: 'openai',
  async answer(request) {
    const last = request.context.at(-1);
    const isExempt = last?.role === 'user' && last.text.includes('other');
    if (!isExempt) asked.push(clock.now());
    if (failure && !isExempt) throw failure;
    return localProvider.answer(request);
  },
};
beforeEach(() => {
  failure = undefined;
  asked.length = 0;
});

const limited = (details: ErrorDetails = {}) =>
  new AppError('RATE_LIMITED', 'the model provider is limiting requests right now', details);
const unavailable = () =>
  new AppError('UNAVAILABLE', 'the model provider is not available right now');

const workOf = async (agent: Agent) => (await runtime.history.findHead(agent.id))?.state.current;
const whenWaiting = (agent: Agent, count = 1) =>
  eventually(async () => {
    const work = await workOf(agent);
    return work?.notBefore !== undefined && (work.waiting?.count ?? 0) >= count && work;
  });
const whenAnswered = (agent: Agent): Promise<string[]> =>
  eventually(async () => {
    const texts = await runtime.textsOf(agent);
    return texts.at(-1)?.startsWith('You said') && texts;
  });
const deadLettersOf = ({ id: agentId, userId }: Agent) =>
  runtime.deadLetters.list({ reader: { userId }, agentId, after: undefined, limit: 10 });
const shownWaitOf = async ({ id }: Agent) => (await runtime.agents.find(id))?.waiting;

describe('transient failures of a provider', () => {
  it('work waits out a rate limit with Retry-After without occupying a slot, and leaves one note and no dead letter', async () => {
    const stopServing = await serveNext(runtime, provider);
    const [agent, otherAgent] = await Promise.all([runtime.newAgent(), runtime.newAgent()]);
    failure = limited({ retryAfterMs: minuteMs });
    await runtime.say(agent, 'hello');
    const work = await whenWaiting(agent);
    expect(work).toMatchObject({ failures: 0, waiting: { for: 'openai' } });
    expect(work.notBefore!.getTime() - asked[0]!.getTime()).toBeGreaterThanOrEqual(minuteMs);
    await eventually(async () => (await shownWaitOf(agent))?.for === 'openai');
    await runtime.say(otherAgent, 'the other one');
    await whenAnswered(otherAgent);
    clock.advance(30_000);
    await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 1);
    expect(asked).toHaveLength(1);
    failure = undefined;
    clock.advance(31_000);
    expect(await whenAnswered(agent)).toEqual([
      'start',
      'hello',
      expect.stringMatching(/waiting for openai.*limiting requests.*\d\d:\d\d UTC/),
      'You said: hello',
    ]);
    expect(asked).toHaveLength(2);
    await eventually(async () => (await shownWaitOf(agent)) === undefined);
    expect(await deadLettersOf(agent)).toEqual([]);
    await stopServing();
  });

  it('work waits out ten minutes of failures and leaves only one note', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    failure = unavailable();
    const began = clock.now().getTime();
    await runtime.say(agent, 'hello');
    for (let count = 1; clock.now().getTime() - began < 10 * minuteMs; count += 1) {
      const { notBefore } = await whenWaiting(agent, count);
      clock.advance(Math.max(1, notBefore!.getTime() - clock.now().getTime()));
    }
    failure = undefined;
    const texts = await eventually(async () => {
      clock.advance(minuteMs);
      const recorded = await runtime.textsOf(agent);
      return recorded.at(-1) === 'You said: hello' && recorded;
    });
    expect(texts.filter((text) => text.includes('waiting for'))).toHaveLength(1);
    expect(asked.length).toBeLessThan(20);
    expect(await deadLettersOf(agent)).toEqual([]);
    await stopServing();
  });

  it('a short wait for a provider causes no note', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    failure = unavailable();
    await runtime.say(agent, 'hello');
    await whenWaiting(agent);
    failure = undefined;
    clock.advance(5_000);
    expect(await whenAnswered(agent)).toEqual(['start', 'hello', 'You said: hello']);
    await stopServing();
  });

  it('a replica that takes over waiting work waits only for the remaining time', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    failure = limited({ retryAfterMs: 20 * minuteMs });
    await runtime.say(agent, 'hello');
    const { notBefore } = await whenWaiting(agent);
    await stopServing();
    const stopNext = await serveNext(runtime, provider);
    clock.advance(10 * minuteMs);
    const otherAgent = await runtime.newAgent();
    await runtime.say(otherAgent, 'the other one');
    await whenAnswered(otherAgent);
    expect(await workOf(agent)).toMatchObject({ notBefore, interruptions: 0 });
    failure = undefined;
    clock.advance(11 * minuteMs);
    await whenAnswered(agent);
    expect(asked).toHaveLength(2);
    await stopNext();
  });

  it('choosing other models ends a wait for a provider within a minute', async () => {
    let list = 'openai/echo';
    const models = { ...chooserOf(provider), listOf: async () => list };
    const stopServing = await serveNext(runtime, provider, { models });
    const agent = await runtime.newAgent();
    failure = limited({ retryAfterMs: hourMs });
    await runtime.say(agent, 'hello');
    await whenWaiting(agent);
    [list, failure] = ['other/echo', undefined];
    clock.advance(minuteMs);
    expect((await whenAnswered(agent)).at(-1)).toBe('You said: hello');
    expect(asked).toHaveLength(2);
    await stopServing();
  });

  it('a stop immediately ends work that is waiting for its provider', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    failure = limited({ retryAfterMs: hourMs });
    await runtime.say(agent, 'hello');
    await whenWaiting(agent);
    const common = { agentId: agent.id, userId: agent.userId, acceptedAt: clock.now() };
    await runtime.putItems([{ agent, item: { kind: 'stop', messageId: createId(), ...common } }]);
    await eventually(async () => (await runtime.textsOf(agent)).at(-1) === 'Stopped.');
    await eventually(async () => (await shownWaitOf(agent)) === undefined);
    await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
    await stopServing();
  });

  it('when a friendship ends, a turn that the friend started and that is waiting for the model ends immediately and for good', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    const tie = { id: `${createId()}:${createId()}`, version: 3 };
    const { message } = friendMail(agent.userId, 'hello', tie);
    failure = limited({ retryAfterMs: hourMs });
    await runtime.placeItems([{ item: message, recipients: [agent], tie }]);
    await whenWaiting(agent);
    await runtime.say(agent, 'the other one');
    await buildTestDelivery(runtime).closeTie({ ...tie, version: 4 });
    const texts = await whenAnswered(agent);
    expect(texts.at(-3)).toContain('may no longer write');
    failure = undefined;
    clock.advance(2 * hourMs);
    await runtime.say(agent, 'later');
    await eventually(async () => (await runtime.textsOf(agent)).includes('You said: later'));
    // Once for the friend, before the wait, and once for "later"; the friend's turn was not tried again.
    expect(asked).toHaveLength(2);
    expect(await deadLettersOf(agent)).toEqual([]);
    await stopServing();
  });

  it('a person’s message sent while others’ work is waiting is handled right after that work, before older messages', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    const system = (text: string) => ({
      agent,
      item: {
        kind: 'system_message' as const,
        agentId: agent.id,
        userId: agent.userId,
        messageId: createId(),
        acceptedAt: clock.now(),
        text,
        origin: 'system',
        silent: false,
        hops: 0,
      },
    });
    failure = limited({ retryAfterMs: minuteMs });
    await runtime.putItems([system('first')]);
    await whenWaiting(agent);
    await runtime.putItems([system('second')]);
    await runtime.say(agent, 'me');
    failure = undefined;
    clock.advance(2 * minuteMs);
    const order = await eventually(async () => {
      const texts = await runtime.textsOf(agent);
      const answered = texts.filter((text) => ['first', 'second', 'me'].includes(text));
      return answered.length === 3 && answered;
    });
    expect(order).toEqual(['first', 'me', 'second']);
    await stopServing();
  });

  it('work becomes a dead letter when its provider fails for hours', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    failure = unavailable();
    await runtime.say(agent, 'hello');
    const deadLetters = await eventually(async () => {
      clock.advance(5 * minuteMs);
      const letters = await deadLettersOf(agent);
      return letters.length > 0 && letters;
    });
    expect(deadLetters).toMatchObject([{ reason: expect.stringContaining('not available') }]);
    const lastedMs = asked.at(-1)!.getTime() - asked[0]!.getTime();
    expect(lastedMs).toBeGreaterThanOrEqual(6 * hourMs);
    await stopServing();
  });
});

describe('permanent failures of a provider', () => {
  it('work becomes a dead letter after a single attempt when the provider rejects the API key', async () => {
    const stopServing = await serveNext(runtime, provider);
    const agent = await runtime.newAgent();
    failure = new AppError('FAILED_PRECONDITION', 'the model provider rejected the API key');
    await runtime.say(agent, 'hello');
    const deadLetters = await eventually(async () => {
      const letters = await deadLettersOf(agent);
      return letters.length > 0 && letters;
    });
    expect(deadLetters).toMatchObject([{ attempts: 1, reason: failure.message }]);
    expect(asked).toHaveLength(1);
    await stopServing();
  });
});
