import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider } from '../../models/providers/model-provider';
import { withRetries } from '../../models/providers/with-retries';
import { entriesOf, serveReplica, startTestRuntime } from '../../test-support/test-runtime';
import { budgetsOf, dailyBudget } from '../../test-support/test-spending';

const runtime = useFixture(startTestRuntime);

async function serve(provider: ModelProvider, spending = runtime.newSpending()) {
  const { lease, stopServing } = await serveReplica(runtime, provider, { meter: spending.meter });
  return { lease, spending, stopServing };
}
const whenIdle = (agents: readonly Agent[]) =>
  eventually(async () => (await runtime.inbox.countByAgent([...agents])).size === 0, {
    timeoutMs: 20_000,
  });
const callsOf = async (agent: Agent) =>
  (await entriesOf(runtime, agent)).flatMap(({ call }) => (call ? [call] : []));

it('an answer’s history entry records the usage, owner and day of its model call', async () => {
  const { stopServing } = await serve(localProvider);
  const agent = await runtime.newAgent(undefined, createId(), 'owner1');
  await runtime.say(agent, 'hello there');
  await whenIdle([agent]);
  const [entry] = (await entriesOf(runtime, agent)).filter(({ call }) => call);
  expect(entry?.call).toEqual({
    ownerUserId: 'owner1',
    day: entry!.at.toISOString().slice(0, 10),
    model: 'local/echo',
    trust: 'person',
    inputTokens: 3,
    outputTokens: 6,
    cachedInputTokens: 0,
    costMicros: 0,
    failedCalls: 0,
    turn: 2,
    latencyMs: expect.any(Number),
    estimatedCalls: 0,
    reservation: 0,
  });
  await stopServing();
});

it('failed calls are recorded as failed, with their usage, before the answer that follows them', async () => {
  let failuresLeft = 2;
  const { stopServing } = await serve({
    ...localProvider,
    async answer(request) {
      if (failuresLeft-- > 0) {
        request.onDelta('half an answer');
        throw new AppError('INTERNAL', 'the model is away');
      }
      return localProvider.answer(request);
    },
  });
  const agent = await runtime.newAgent();
  await runtime.say(agent, 'hello');
  await whenIdle([agent]);
  expect((await callsOf(agent)).map(({ failedCalls }) => failedCalls)).toEqual([1, 1, 0]);
  expect((await callsOf(agent))[0]).toMatchObject({ outputTokens: 4, estimatedCalls: 1 });
  await stopServing();
});

it('attempts that failed midway count towards their call’s usage; those that failed before sending any text do not', async () => {
  const halves = ['half an answer', '', 'half an answer'];
  const provider = withRetries(
    {
      ...localProvider,
      async answer(request) {
        const half = halves.shift();
        if (half === undefined) return localProvider.answer(request);
        request.onDelta(half);
        throw new AppError('UNAVAILABLE', 'the model is away');
      },
    },
    { sleep: async () => undefined },
  );
  const { stopServing } = await serve(provider);
  const agent = await runtime.newAgent();
  await runtime.say(agent, 'hello there');
  await whenIdle([agent]);
  const [call, ...others] = await callsOf(agent);
  expect(others).toEqual([]);
  expect(call).toMatchObject({ outputTokens: 4 + 4 + 6, failedCalls: 0, estimatedCalls: 1 });
  expect(call!.inputTokens).toBeGreaterThan(3);
  await stopServing();
});

it('with a budget for 10 calls, only 10 of 64 agents answer; the others’ turns end with a note', async () => {
  const userId = createId();
  const agents = await Promise.all(
    Array.from({ length: 64 }, () => runtime.newAgent(undefined, userId)),
  );
  let calls = 0;
  const spending = runtime.newSpending({ answerTokens: 1_000 });
  // Each answer uses about as many tokens as were reserved for the call.
  const { stopServing } = await serve(
    {
      ...localProvider,
      async answer(request) {
        calls += 1;
        const answer = await localProvider.answer(request);
        const usage = { inputTokens: 3, outputTokens: 1_000, cachedInputTokens: 0 };
        return { ...answer, usage };
      },
    },
    spending,
  );
  await spending.setBudget(dailyBudget(userId, 10_099));
  await Promise.all(agents.map((agent) => runtime.say(agent, 'hello there')));
  await whenIdle(agents);
  expect(calls).toBe(10);
  const events = await Promise.all(
    agents.map(async (agent) => (await entriesOf(runtime, agent)).flatMap((entry) => entry.events)),
  );
  const notes = events.flat().flatMap((event) => (event.kind === 'note' ? [event.text] : []));
  expect(notes).toHaveLength(54);
  expect(notes[0]).toMatch(/^I stopped: the budget of 10,099 tokens per day is used up\./);
  await stopServing();
});

it('a model call interrupted by a crash uses up no budget, and another replica completes the turn', async () => {
  const agent = await runtime.newAgent();
  const { userId } = agent;
  let isCalled = false;
  const crashed = await serve({
    ...localProvider,
    answer: () => ((isCalled = true), new Promise(() => undefined)),
  });
  await crashed.spending.setBudget(dailyBudget(userId, 250));
  await runtime.say(agent, 'hello there');
  await eventually(() => isCalled);
  expect(await budgetsOf(crashed.spending, userId)).toMatchObject([{ spent: 0 }]);
  crashed.lease.end();
  const next = await serve(localProvider);
  await whenIdle([agent]);
  expect(await callsOf(agent)).toHaveLength(1);
  await eventually(async () => (await budgetsOf(next.spending, userId))[0]!.reserved === 0);
  expect(await budgetsOf(next.spending, userId)).toEqual([{ spent: 9, reserved: 0 }]);
  await next.stopServing();
});
