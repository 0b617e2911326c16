import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { z } from 'zod';
import type { Agent } from '../../agents/domain/agent';
import { makeResetAgent } from '../../messaging/usecases/control/reset-agent';
import { makeStopTurn } from '../../messaging/usecases/control/stop-turn';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider } from '../../models/providers/model-provider';
import { gate, hangingProvider, never } from '../../test-support/hanging-provider';
import {
  entriesOf,
  nextLease,
  serveReplica,
  startTestRuntime,
} from '../../test-support/test-runtime';
import { testRegistry, testTool } from '../../test-support/test-tool';
import { anyAgent, everyone } from '../../tools/registry/tool-access';

/** Resolves when the tool has been called. */
let called = gate();

const hang = testTool('hang', {
  description: 'Never returns',
  schema: { text: z.string().optional() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  execute: async () => (called.open(), never),
});

const runtime = useFixture(() => startTestRuntime({ tools: testRegistry([hang]) }));
beforeEach(() => {
  called = gate();
});

const serve = (provider: ModelProvider, holder = 'r1') =>
  serveReplica(runtime, provider, { holder });

const now = (): Date => new Date();
const hint = (agentId: string): void => runtime.feed.interrupt([agentId]);
const loseHint = (): void => undefined;
const stop = (agent: Agent, steeringText = '', interruptAgent = hint, requestId = createId()) =>
  makeStopTurn({ ...runtime, interruptAgent, now })({
    userId: agent.userId,
    agentId: agent.id,
    requestId,
    steeringText,
    replyTarget: '',
  });
const reset = (agent: Agent, interruptAgent = hint) =>
  makeResetAgent({ ...runtime, interruptAgent, now })({
    userId: agent.userId,
    agentId: agent.id,
    requestId: createId(),
    message: '',
    isByAgent: false,
  });
const storyOf = async (agent: Agent): Promise<string[]> =>
  (await runtime.history.listRecords(agent, { after: 0, limit: 1_000 })).map((record) =>
    record.kind === 'tool_result' ? 'result' : 'text' in record ? record.text : record.kind,
  );
const whenIdle = async (agent: Agent): Promise<string[]> => {
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
  return storyOf(agent);
};
const deadLettersOf = ({ id, userId }: Agent) =>
  runtime.deadLetters.list({ reader: { userId }, agentId: id, after: undefined, limit: 10 });

describe('stopping a turn', () => {
  it.each([
    ['through its hint', hint],
    ['through the poll when its hint is lost', loseHint],
  ])(
    'a stop noticed %s ends a turn whose model call ignores its abort signal',
    async (_title, interrupt) => {
      const { provider, receivedTexts } = hangingProvider();
      const { stopServing } = await serve(provider);
      const agent = await runtime.newAgent();
      await runtime.say(agent, 'hang');
      await eventually(async () => receivedTexts.length === 1);
      await stop(agent, '', interrupt);
      expect(await whenIdle(agent)).toEqual(['start', 'hang', 'Stopped.']);
      expect(receivedTexts).toEqual(['hang']);
      expect(await deadLettersOf(agent)).toEqual([]);
      await stopServing();
    },
  );

  it('a stop ends a turn whose tool hangs, and the call appears as interrupted in the next turn’s context', async () => {
    const seen: unknown[] = [];
    const { provider } = hangingProvider();
    const { stopServing } = await serve({
      ...provider,
      answer: (request) => (seen.push(request.context), provider.answer(request)),
    });
    const agent = await runtime.newAgent();
    await runtime.say(agent, '/hang {}');
    await called.opened;
    await stop(agent);
    expect((await whenIdle(agent)).at(-1)).toBe('Stopped.');
    await runtime.say(agent, 'hello');
    expect((await whenIdle(agent)).at(-1)).toBe('You said: hello');
    expect(seen.at(-1)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', toolCalls: [{ name: 'hang' }] },
      { role: 'tool', isError: true, resultJson: expect.stringContaining('interrupted') },
      { role: 'user', text: 'hello' },
    ]);
    await stopServing();
  });

  it('the steering text of a stop becomes the person’s next message and is answered before messages from others', async () => {
    const { provider, receivedTexts } = hangingProvider();
    const { stopServing } = await serve(provider);
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'hang');
    await eventually(async () => receivedTexts.length === 1);
    await runtime.putItems([{ agent, item: friendMessage(agent, 'from a friend') }]);
    await stop(agent, ' Do this instead ');
    const story = await whenIdle(agent);
    expect(story.slice(1, 5)).toEqual([
      'hang',
      'Stopped.',
      'Do this instead',
      'You said: Do this instead',
    ]);
    expect(story[5]).toBe('from a friend');
    await stopServing();
  });

  it('a stop that is retried with the same request id ends only one turn', async () => {
    const { provider, receivedTexts } = hangingProvider();
    const { stopServing } = await serve(provider);
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'hang');
    await eventually(async () => receivedTexts.length === 1);
    await stop(agent, '', hint, 'request-1');
    await whenIdle(agent);
    await runtime.say(agent, 'hang again');
    await eventually(async () => receivedTexts.length === 2);
    await stop(agent, '', hint, 'request-1');
    await stop(agent, '', hint, 'request-2');
    expect(await whenIdle(agent)).toEqual(['start', 'hang', 'Stopped.', 'hang again', 'Stopped.']);
    await stopServing();
  });

  it('a stop while no turn is in progress changes nothing and does not stop the next turn', async () => {
    const { stopServing } = await serve(localProvider);
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'one');
    await whenIdle(agent);
    const before = await storyOf(agent);
    await stop(agent);
    expect(await whenIdle(agent)).toEqual(before);
    await runtime.say(agent, 'two');
    expect((await whenIdle(agent)).slice(3)).toEqual(['two', 'You said: two']);
    await stopServing();
    await runtime.say(agent, 'three');
    await stop(agent);
    await runtime.say(agent, 'four');
    const again = await serve(localProvider);
    expect((await whenIdle(agent)).slice(5)).toEqual([
      'three',
      'You said: three',
      'four',
      'You said: four',
    ]);
    await again.stopServing();
  });

  it('a stop ends a turn that is waiting for its next attempt', async () => {
    const { stopServing } = await serve({
      ...localProvider,
      answer: async () => {
        throw new Error('no');
      },
    });
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'poison');
    const failed = async () =>
      (await runtime.history.findHead(agent.id))?.state.current?.failures === 1;
    await eventually(failed);
    await stop(agent);
    expect(await whenIdle(agent)).toEqual(['start', 'poison', 'Stopped.']);
    expect(await deadLettersOf(agent)).toEqual([]);
    await stopServing();
  });
});

describe('a stop while replicas crash or take over', () => {
  it('a stop accepted after a crash ends the turn on the next holder, which does not call the model', async () => {
    const first = hangingProvider();
    const crashed = await serve(first.provider, 'crashed');
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'hang');
    await eventually(async () => (await runtime.history.findHead(agent.id))?.state.current);
    crashed.lease.end();
    await stop(agent, '', loseHint);
    const second = hangingProvider();
    const { stopServing } = await serve(second.provider, 'next');
    expect(await whenIdle(agent)).toEqual(['start', 'hang', 'Stopped.']);
    expect(second.receivedTexts).toEqual([]);
    await stopServing();
  });

  it('a crash between the entry that stops a turn and the inbox update leaves a single note, and the stop ends no other turn', async () => {
    const { provider, receivedTexts } = hangingProvider();
    const first = await serve(provider, 'first');
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'hang');
    await eventually(async () => receivedTexts.length === 1);
    first.lease.end();
    await stop(agent, '', loseHint);
    const inbox = runtime.mongo.db.collection('inbox');
    const rows = await inbox.find({ userId: agent.userId }).toArray();
    const crashed = await serve(provider, 'crashed');
    await whenIdle(agent);
    crashed.lease.end();
    const entry = (await entriesOf(runtime, agent)).at(-1)!;
    expect(entry.state.settled?.messageIds).toHaveLength(2);
    // The items as the crash would have left them.
    expect(rows).toHaveLength(2);
    for (const row of rows) await inbox.replaceOne({ _id: row._id }, row);
    await runtime.say(agent, 'hello');
    const next = hangingProvider();
    const { stopServing } = await serve(next.provider, 'next');
    const story = ['start', 'hang', 'Stopped.', 'hello', 'You said: hello'];
    expect(await whenIdle(agent)).toEqual(story);
    expect(next.receivedTexts).toEqual(['hello']);
    await stopServing();
  });

  it('with two replicas, the one that is running the agent stops the turn', async () => {
    const [first, second] = [hangingProvider(), hangingProvider()];
    const holder = await serve(first.provider, 'holder');
    const otherReplica = runtime.replica('other', second.provider);
    await otherReplica.serve(nextLease(9));
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'hang');
    await eventually(async () => first.receivedTexts.length === 1);
    await stop(agent);
    expect(await whenIdle(agent)).toEqual(['start', 'hang', 'Stopped.']);
    const holders = new Set(
      (await entriesOf(runtime, agent)).slice(1).map(({ holder: name }) => name),
    );
    expect([...holders]).toEqual(['holder']);
    await holder.stopServing();
  });
});

describe('a reset by a person', () => {
  it('a reset ends the turn in progress without waiting for the current model call', async () => {
    const rounds: number[] = [];
    const arrived = gate();
    const { stopServing } = await serve({
      ...localProvider,
      async answer(request) {
        const answer = await localProvider.answer(request);
        rounds.push(rounds.length + 1);
        if (rounds.length === 2) {
          arrived.open();
          await never;
        }
        const call = { id: `c${rounds.length}`, name: 'unknown', argumentsJson: '{}' };
        return { ...answer, text: '', toolCalls: [call] };
      },
    });
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'go');
    await arrived.opened;
    await reset(agent);
    expect((await whenIdle(agent)).slice(-2)).toEqual(['Stopped.', 'reset']);
    expect(rounds).toEqual([1, 2]);
    await stopServing();
  });

  it('a reset waits until the person’s earlier messages are answered, and other senders’ items wait until after the reset', async () => {
    const { provider, receivedTexts } = hangingProvider();
    const { stopServing } = await serve(provider);
    const agent = await runtime.newAgent();
    await runtime.putItems([{ agent, item: friendMessage(agent, 'hang') }]);
    await eventually(async () => receivedTexts.length === 1);
    await runtime.putItems([{ agent, item: friendMessage(agent, 'later') }]);
    await runtime.say(agent, 'before');
    await reset(agent);
    await runtime.say(agent, 'after');
    const story = await whenIdle(agent);
    expect(story.slice(1, 7)).toEqual([
      'hang',
      'Stopped.',
      'before',
      'You said: before',
      'reset',
      'after',
    ]);
    expect(story.slice(7)).toEqual(['You said: after', 'later', expect.stringContaining('later')]);
    await stopServing();
  });
});

function friendMessage({ id: agentId, userId }: Agent, text: string) {
  const common = { agentId, userId, messageId: createId(), acceptedAt: now() };
  const sent = { origin: 'friend:otter7', senderUserId: 'otter', trust: 'person' as const };
  const content = { text, silent: false, hops: 1 };
  return { kind: 'system_message' as const, ...common, ...sent, ...content };
}
