import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import {
  entriesOf,
  nextLease,
  personMessage,
  serveReplica,
  startTestRuntime,
} from '../../test-support/test-runtime';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider, ModelRequest } from '../../models/providers/model-provider';

const runtime = useFixture(() => startTestRuntime({ emergencyContextLimit: 1_000 }));

/** The local provider, which calls `before` before each answer. */
const providerWith = (before: (request: ModelRequest) => Promise<void>): ModelProvider => ({
  ...localProvider,
  async answer(request) {
    await before(request);
    return localProvider.answer(request);
  },
});
const lastText = ({ context }: ModelRequest): string => {
  const last = context.at(-1);
  return last?.role === 'user' ? last.text : '';
};

const serve = (holder: string, provider: ModelProvider = localProvider) =>
  serveReplica(runtime, provider, { holder });

const whenRecorded = (agent: Agent, count: number, timeoutMs = 10_000): Promise<string[]> =>
  eventually(
    async () => {
      const texts = await runtime.textsOf(agent);
      return texts.length >= count && texts;
    },
    { timeoutMs },
  );
const inboxIsEmpty = async (agent: Agent): Promise<boolean> =>
  (await runtime.inbox.countByAgent([agent])).size === 0;

describe('an item whose turn always fails', () => {
  it('an item whose turn always fails becomes a dead letter after five tries, its sender gets a single notice, and the next item is handled', async () => {
    const tries: number[] = [];
    const { stopServing } = await serve(
      'r1',
      providerWith(async (request) => {
        if (!lastText(request).includes('poison')) return;
        tries.push(performance.now());
        throw new Error('no');
      }),
    );
    const [sender, agent] = await Promise.all([runtime.newAgent(), runtime.newAgent()]);
    const messageId = createId();
    const poison: InboxItem = {
      kind: 'system_message',
      agentId: agent.id,
      userId: agent.userId,
      messageId,
      acceptedAt: new Date(),
      text: 'poison',
      origin: sender.id,
      silent: false,
      sender: { agentId: sender.id, userId: agent.userId },
      hops: 1,
    };
    await runtime.putItems([{ agent, item: poison }]);
    await eventually(async () => tries.length > 0);
    await runtime.say(agent, 'fine');
    const texts = await whenRecorded(agent, 5, 20_000);
    expect(texts).toEqual([
      'start',
      'poison',
      expect.stringContaining('could not'),
      'fine',
      'You said: fine',
    ]);
    expect(tries).toHaveLength(5);
    const waits = tries.slice(1).map((at, index) => at - tries[index]!);
    for (const [index, minMs] of [500, 1_000, 2_000, 4_000].entries())
      expect(waits[index]).toBeGreaterThanOrEqual(minMs / 2 - 20);
    const reader = { userId: agent.userId };
    const query = { reader, agentId: agent.id, after: undefined, limit: 10 };
    expect(await runtime.deadLetters.list(query)).toMatchObject([
      { messageId, text: 'poison', attempts: 5, origin: sender.id },
    ]);
    // The notice, and the sender's answer, which repeats it.
    const senderTexts = await whenRecorded(sender, 3);
    expect(senderTexts.filter((text) => text.includes('could not be handled'))).toHaveLength(2);
    await stopServing();
  });
});

describe('a replica that loses its lease during a turn', () => {
  it('a replica that has lost its lease during a turn records nothing more, and the next holder completes the turn', async () => {
    const hung = new Promise<void>(() => undefined);
    let onAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (onAsked = resolve));
    let answerLate: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answerLate = resolve));
    const first = await serve(
      'frozen',
      providerWith(() => (onAsked(), Promise.race([late, hung]))),
    );
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'hello');
    await asked;
    // The first replica does not know yet that its lease is gone: it got no notice, and its clock has not moved.
    const second = await serve('awake');
    const texts = await whenRecorded(agent, 3);
    answerLate();
    await eventually(async () => inboxIsEmpty(agent));
    await first.stopServing();
    expect(await runtime.textsOf(agent)).toEqual(texts);
    expect(texts).toEqual(['start', 'hello', 'You said: hello']);
    const entries = await entriesOf(runtime, agent);
    expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1));
    const takeover = entries.findIndex(({ holder }) => holder === 'awake');
    expect(entries.slice(takeover).every(({ holder }) => holder === 'awake')).toBe(true);
    expect(entries[takeover]?.state.current).toMatchObject({ interruptions: 1 });
    await second.stopServing();
  });

  it('a replica whose lease has expired starts no work on waiting items', async () => {
    const { lease, stopServing } = await serve('expired');
    lease.end();
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'hello');
    await runtime.replica('other', localProvider).serve(nextLease(7));
    expect(await runtime.textsOf(agent)).toEqual(['start']);
    await stopServing();
    const { stopServing: stopNext } = await serve('next');
    await whenRecorded(agent, 3);
    expect((await entriesOf(runtime, agent)).map(({ holder }) => holder)).not.toContain('expired');
    await stopNext();
  });
});

describe('waiting items', () => {
  it('a person’s waiting messages are merged into one, in order', async () => {
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'one', 'two');
    const { stopServing } = await serve('r1');
    expect(await whenRecorded(agent, 3)).toEqual(['start', 'one\ntwo', 'You said: one\ntwo']);
    await stopServing();
  });

  it('text that looks like a MongoDB expression is stored literally', async () => {
    const { stopServing } = await serve('r1');
    const agent = await runtime.newAgent();
    const text = '$$ROOT {"$set": 1} $literal';
    await runtime.say(agent, text);
    expect(await whenRecorded(agent, 3)).toEqual(['start', text, `You said: ${text}`]);
    await stopServing();
  });

  it('a silent message is recorded without a turn and is part of the next turn’s context', async () => {
    const seen: number[] = [];
    const { stopServing } = await serve(
      'r1',
      providerWith(async ({ context }) => void seen.push(context.length)),
    );
    const agent = await runtime.newAgent();
    const item: InboxItem = {
      kind: 'system_message',
      agentId: agent.id,
      userId: agent.userId,
      messageId: createId(),
      acceptedAt: new Date(),
      text: 'psst',
      origin: 'signal:s1',
      silent: true,
      hops: 0,
    };
    await runtime.putItems([{ agent, item }]);
    await whenRecorded(agent, 2);
    expect(seen).toEqual([]);
    await runtime.say(agent, 'hello');
    expect(await whenRecorded(agent, 4)).toEqual(['start', 'psst', 'hello', 'You said: hello']);
    expect(seen).toEqual([2]);
    await stopServing();
  });

  it('a message that is delivered several times is handled once, even if it is delivered again afterwards', async () => {
    const { stopServing } = await serve('r1');
    const agent = await runtime.newAgent();
    const item = personMessage(agent, 'hello');
    await Promise.all(Array.from({ length: 8 }, () => runtime.putItems([{ agent, item }])));
    await whenRecorded(agent, 3);
    await eventually(() => inboxIsEmpty(agent));
    await runtime.putItems([{ agent, item }]);
    expect(await inboxIsEmpty(agent)).toBe(true);
    expect(await runtime.textsOf(agent)).toHaveLength(3);
    await stopServing();
  });
});
