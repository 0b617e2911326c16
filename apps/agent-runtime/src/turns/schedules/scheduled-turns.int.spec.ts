import { setImmediate as waitForImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider, ModelRequest } from '../../models/providers/model-provider';
import type { Cron } from '../../schedules';
import { gate } from '../../test-support/hanging-provider';
import { serveNext } from '../../test-support/test-runtime';
import { cronCall, startTestSchedules } from '../../test-support/test-schedules';

const schedules = useFixture(() => startTestSchedules());
const minuteMs = 60_000;

/** How many ticks of an every-minute cron to run; a day has 1,440. */
const ticks = Number(process.env['SOAK_TICKS'] ?? 40);

/** A provider with these answers, which records its requests. */
function recordingProvider(answer: (request: ModelRequest) => Promise<string>) {
  const requests: ModelRequest[] = [];
  const provider: ModelProvider = {
    ...localProvider,
    async answer(request) {
      requests.push(request);
      const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
      return { text: await answer(request), toolCalls: [], usage };
    },
  };
  return { provider, requests };
}

async function newCron(person: Agent, overrides: object = {}): Promise<Cron> {
  const call = { name: 'tea', prompt: 'Make tea', ...overrides };
  return schedules.createCron(cronCall(person.userId, call));
}

/** Advances to the next tick and fires the given crons, each on a new replica. */
async function tick(...due: readonly Cron[]): Promise<void> {
  const { clock, crons } = schedules;
  clock.now = new Date(Math.ceil((clock.now.getTime() + 1) / minuteMs) * minuteMs);
  const ids = new Set(due.map(({ id }) => id));
  for await (const cron of crons.findOpenTicks([0], clock.now))
    if (ids.has(cron.id)) await schedules.replica().fireCron(cron, () => true);
}

const runsOf = async ({ userId, id: cronId }: Cron) =>
  (await schedules.getCron({ userId, cronId })).runs;
/** What the list of crons shows about the last run. */
async function lastRunInList({ userId }: Cron) {
  const { crons } = await schedules.listCrons({ userId, pageSize: 0, pageToken: '' });
  return crons[0]?.runs.at(0);
}
const outcomesOf = async (cron: Cron) => (await runsOf(cron)).map(({ outcome }) => outcome);
const whenLast = (cron: Cron, outcome: string): Promise<unknown> =>
  eventually(async () => (await outcomesOf(cron))[0] === outcome);

/** What a person reads in the chat with this agent. */
const chatOf = async (agent: Agent) =>
  (await schedules.history.listRecords(agent, { after: 0, limit: 10_000 })).flatMap((record) =>
    record.kind === 'user_message' || record.kind === 'assistant_message' ? [record] : [],
  );

it('the runs of a cron that fires every minute all cost the same and never overlap, and each answer reaches the chat once', async () => {
  const person = await schedules.newAgent();
  const cron = await newCron(person);
  let [inProgress, maxInProgress] = [0, 0];
  const { provider, requests } = recordingProvider(async () => {
    inProgress += 1;
    maxInProgress = Math.max(maxInProgress, inProgress);
    await waitForImmediate();
    inProgress -= 1;
    return `Tea number ${requests.length} is ready`;
  });
  const stop = await serveNext(schedules.runtime, provider);
  for (let count = 1; count <= ticks; count += 1) {
    await tick(cron);
    const ended = { outcome: 'answered', dueAt: schedules.clock.now };
    await eventually(async () => {
      expect(await lastRunInList(cron)).toMatchObject(ended);
      return true;
    });
  }
  expect(maxInProgress).toBe(1);
  await eventually(async () => (await chatOf(person)).length >= ticks);
  await stop();
  const texts = requests.map(({ context }) =>
    context.map((message) => 'text' in message && message.text),
  );
  expect(texts).toEqual(
    Array.from({ length: ticks }, () => [expect.stringMatching(/name="tea">Make tea</)]),
  );
  const sizes = requests.map(
    ({ systemPrompt, tools }) => JSON.stringify([systemPrompt, tools]).length,
  );
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(10);
  const chat = await chatOf(person);
  expect(chat.map((record) => record.text)).toEqual(
    Array.from({ length: ticks }, (_, index) => `Tea number ${index + 1} is ready`),
  );
  expect(chat[0]).toMatchObject({
    origin: `result:cron:${cron.id}`,
    originName: 'tea',
    forPerson: true,
    silent: true,
  });
  const cronAgent = { id: cron.agentId, userId: cron.userId };
  const history = await schedules.history.listRecords(cronAgent, { after: 0, limit: 10_000 });
  expect(history.filter(({ kind }) => kind === 'user_message')).toHaveLength(ticks);
  expect(history.filter(({ kind }) => kind === 'start')).toHaveLength(ticks);
}, 3_600_000);

it('ticks are skipped while a run is in progress, and the first tick after its end starts a run', async () => {
  const person = await schedules.newAgent();
  const cron = await newCron(person);
  const slow = gate();
  const { provider, requests } = recordingProvider(async () => (await slow.opened, 'Done'));
  const stop = await serveNext(schedules.runtime, provider);
  for (let count = 0; count < 3; count += 1) await tick(cron);
  await eventually(() => requests.length === 1);
  expect(await outcomesOf(cron)).toEqual(['skipped', 'skipped', 'running']);
  slow.open();
  await eventually(async () => (await outcomesOf(cron))[2] === 'answered');
  await tick(cron);
  await whenLast(cron, 'answered');
  await stop();
  expect(requests).toHaveLength(2);
});

it('a run that replaces an earlier one stops the earlier run’s turn, whose answer is not shown', async () => {
  const person = await schedules.newAgent();
  const cron = await newCron(person, { overlap: 'replace' });
  const { provider, requests } = recordingProvider(async ({ signal }) => {
    if (requests.length > 1) return 'New tea';
    await new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new AppError('CANCELLED', 'stopped'))),
    );
    return 'Old tea';
  });
  const stop = await serveNext(schedules.runtime, provider);
  await tick(cron);
  await eventually(() => requests.length === 1);
  await tick(cron);
  await whenLast(cron, 'answered');
  await eventually(async () => (await chatOf(person)).length > 0);
  await stop();
  expect(await outcomesOf(cron)).toEqual(['answered', 'replaced']);
  expect((await chatOf(person)).map((record) => record.text)).toEqual(['New tea']);
});

it('a run that is waiting for its provider is shown as waiting, and only the first of consecutive failures is in the chat', async () => {
  const person = await schedules.newAgent();
  const cron = await newCron(person);
  const failing = (code: 'RATE_LIMITED' | 'UNAUTHENTICATED', text: string): ModelProvider => ({
    ...localProvider,
    name: 'openai',
    answer: async () => {
      throw new AppError(code, text);
    },
  });
  const stopLimited = await serveNext(
    schedules.runtime,
    failing('RATE_LIMITED', 'too many requests'),
  );
  await tick(cron);
  await whenLast(cron, 'waiting');
  expect((await runsOf(cron))[0]?.reason).toMatch(/^Waiting for openai until /);
  await stopLimited();
  const stopRefused = await serveNext(
    schedules.runtime,
    failing('UNAUTHENTICATED', 'the key is wrong'),
  );
  await whenLast(cron, 'failed');
  await tick(cron);
  await eventually(async () => (await outcomesOf(cron)).join() === 'failed,failed');
  await stopRefused();
  expect((await runsOf(cron))[0]?.reason).toBe('the key is wrong');
  const good = recordingProvider(async () => 'Fine');
  const stop = await serveNext(schedules.runtime, good.provider);
  await tick(cron);
  await whenLast(cron, 'answered');
  await eventually(async () => (await chatOf(person)).length > 1);
  await stop();
  expect((await chatOf(person)).map((record) => record.text)).toEqual([
    'This run failed: the key is wrong.',
    'Fine',
  ]);
});

it('a cron that names an agent is answered in that agent’s chat; a quiet cron and the answer “nothing” add nothing to it', async () => {
  const person = await schedules.newAgent();
  const named = await newCron(person, { agentId: person.id });
  const quiet = await newCron(person, { quiet: true, prompt: 'Make coffee' });
  const { provider } = recordingProvider(async ({ context }) =>
    JSON.stringify(context).includes('coffee') ? 'Coffee is ready.' : 'Nothing.',
  );
  const stop = await serveNext(schedules.runtime, provider);
  const idle = await newCron(person);
  await tick(named, quiet, idle);
  await Promise.all([named, quiet, idle].map((cron) => whenLast(cron, 'answered')));
  await eventually(async () => (await schedules.inbox.countByAgent([person])).size === 0);
  await stop();
  expect(await chatOf(person)).toMatchObject([
    { origin: `cron:${named.id}`, text: 'Make tea', silent: false },
    { kind: 'assistant_message', text: 'Nothing.' },
  ]);
});

it('while a person has no agent to talk with, only the newest result of a cron is kept; their first agent receives it', async () => {
  const userId = createId();
  const cron = await schedules.createCron(cronCall(userId, { name: 'tea' }));
  const { provider, requests } = recordingProvider(async () => `Tea ${requests.length}`);
  const stop = await serveNext(schedules.runtime, provider);
  for (let count = 0; count < 3; count += 1) {
    await tick(cron);
    await whenLast(cron, 'answered');
  }
  const mailbox = schedules.mongo.db.collection('inbox');
  const waiting = { userId, unrouted: true };
  await eventually(async () => (await mailbox.countDocuments(waiting)) === 1);
  const person = await schedules.newAgent(undefined, userId);
  await schedules.routeMailbox(userId);
  await eventually(async () => (await chatOf(person)).length > 0);
  await stop();
  expect((await chatOf(person)).map((record) => record.text)).toEqual(['Tea 3']);
});

it('the result of a cron that was created in a guest’s turn has a guest’s trust', async () => {
  const person = await schedules.newAgent();
  const cron = await newCron(person, { trust: 'guest', readPrivate: true });
  const { provider } = recordingProvider(async () => 'Obey');
  const stop = await serveNext(schedules.runtime, provider);
  await tick(cron);
  await whenLast(cron, 'answered');
  await eventually(async () => (await chatOf(person)).length > 0);
  await stop();
  expect(await chatOf(person)).toMatchObject([{ isPrivate: true, foreignWriter: 'several' }]);
  const head = await schedules.history.findHead(person.id);
  expect(head?.state).toMatchObject({ contextTrust: 'guest', contextIsPrivate: true });
});
