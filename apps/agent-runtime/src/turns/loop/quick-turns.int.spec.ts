import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { z } from 'zod';
import type { Agent } from '../../agents/domain/agent';
import { recordsOf, type HistoryEntry } from '../../agents/domain/history-entry';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider } from '../../models/providers/model-provider';
import {
  entriesOf,
  nextLease,
  serveReplica,
  startTestRuntime,
  type TestLease,
} from '../../test-support/test-runtime';
import { testRegistry, testTool } from '../../test-support/test-tool';
import { anyAgent, everyone } from '../../tools/registry/tool-access';

let onTool: () => Promise<void> = async () => undefined;
const probe = testTool('probe', {
  description: 'Looks at what is stored.',
  schema: { text: z.string() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  async execute() {
    await onTool();
    return { done: true };
  },
});

const runtime = useFixture(() => startTestRuntime({ tools: testRegistry([probe]) }));

const serve = (provider: ModelProvider, lease = nextLease()) =>
  serveReplica(runtime, provider, { lease });
const kindsOf = ({ events }: HistoryEntry): string[] => events.map(({ kind }) => kind);
const whenIdle = (agent: Agent) =>
  eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
/** An agent that has answered once, in the replica that runs it now. */
const warmAgent = async (): Promise<Agent> => {
  const agent = await runtime.newAgent();
  await runtime.say(agent, 'hello');
  await whenIdle(agent);
  return agent;
};

it('a quick turn is stored as one entry, except for the first turn that a replica runs for an agent', async () => {
  const { stopServing } = await serve(localProvider);
  const agent = await warmAgent();
  await runtime.say(agent, 'again');
  await whenIdle(agent);
  expect((await entriesOf(runtime, agent)).map(kindsOf)).toEqual([
    ['start'],
    ['user_message'],
    ['assistant_message'],
    ['user_message', 'assistant_message'],
  ]);
  await stopServing();
});

it('the beginning of a turn is stored and published while a slow model is still answering', async () => {
  let answer: () => void = () => undefined;
  const thinking = new Promise<void>((resolve) => (answer = resolve));
  let isSlow = false;
  const { stopServing } = await serve({
    ...localProvider,
    async answer(request) {
      if (isSlow) await thinking;
      return localProvider.answer(request);
    },
  });
  const agent = await warmAgent();
  isSlow = true;
  const seen: string[] = [];
  const stop = runtime.feed.watchAgent(agent.id, (event) => {
    if (event.kind === 'advanced') seen.push(...event.records.map(({ kind }) => kind));
  });
  await runtime.say(agent, 'think');
  await eventually(() => seen.includes('user_message'));
  const { state } = (await entriesOf(runtime, agent)).at(-1)!;
  expect(state.current).toMatchObject({ interruptions: 0 });
  answer();
  await whenIdle(agent);
  await eventually(() => seen.length === 2);
  expect(seen).toEqual(['user_message', 'assistant_message']);
  stop();
  await stopServing();
});

it('the message and the model’s answer are stored before a tool runs', async () => {
  const { stopServing } = await serve(localProvider);
  const agent = await warmAgent();
  let storedAtTool: string[] = [];
  onTool = async () => {
    storedAtTool = (await entriesOf(runtime, agent)).flatMap(kindsOf).slice(3);
  };
  await runtime.say(agent, '/probe {"text": "x"}');
  await whenIdle(agent);
  expect(storedAtTool).toEqual(['user_message', 'assistant_message']);
  await stopServing();
});

it('when work kills its process before anything is stored, crashes are counted from the second one on', async () => {
  let isPoisoned = false;
  let deaths = 0;
  /** The replica dies as soon as it calls this provider: later steps are never stored. */
  const deadlyProvider = (lease: TestLease): ModelProvider => ({
    ...localProvider,
    answer(request) {
      if (!isPoisoned) return localProvider.answer(request);
      lease.end();
      deaths += 1;
      return new Promise(() => undefined);
    },
  });
  const interruptionsAfter = async (agent: Agent): Promise<number | undefined> =>
    (await entriesOf(runtime, agent)).at(-1)?.state.current?.interruptions;
  const leases = [1, 2, 3].map(() => nextLease());
  const first = await serve(deadlyProvider(leases[0]!), leases[0]);
  const agent = await warmAgent();
  isPoisoned = true;
  await runtime.say(agent, 'poison');
  await eventually(() => deaths === 1);
  await first.stopServing();
  expect(await interruptionsAfter(agent)).toBeUndefined();
  const second = await serve(deadlyProvider(leases[1]!), leases[1]);
  await eventually(() => deaths === 2);
  await second.stopServing();
  expect(await interruptionsAfter(agent)).toBe(0);
  const third = await serve(deadlyProvider(leases[2]!), leases[2]);
  await eventually(() => deaths === 3);
  await third.stopServing();
  expect(await interruptionsAfter(agent)).toBe(1);
});

it('an entry merged from several steps reaches watchers once, with all of its records in order', async () => {
  const { stopServing } = await serve(localProvider);
  const agent = await warmAgent();
  const seen: number[] = [];
  const stop = runtime.feed.watchAgent(agent.id, (event) => {
    if (event.kind === 'advanced') seen.push(...event.records.map(({ sequence }) => sequence));
  });
  await runtime.say(agent, 'again');
  await eventually(() => seen.length >= 2);
  await runtime.say(agent, 'and again');
  await eventually(() => seen.length >= 4);
  const stored = (await entriesOf(runtime, agent))
    .flatMap(recordsOf)
    .map(({ sequence }) => sequence);
  expect(seen).toEqual(stored.slice(-4));
  stop();
  await stopServing();
});
