import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { SystemMessage, NoticeKind } from '@daycare/contracts/common';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Binary } from 'mongodb';
import { z } from 'zod';
import type { Agent } from '../../../agents/domain/agent';
import type { Descriptor } from '../../../agents/domain/descriptor/descriptor';
import { localProvider } from '../../../models/providers/local-provider';
import { serveNext, startTestRuntime } from '../../../test-support/test-runtime';
import { testRegistry, testTool } from '../../../test-support/test-tool';
import { anyAgent, everyone } from '../../../tools/registry/tool-access';
import type { InboxItem } from '../../domain/inbox-item';
import { makeEndAgent, makeEndIdleAgents, makeRequestEnd, makeSweepEndings } from './end-agent';
import { makeNotifySender } from '../delivery/notify-sender';

const reportTool = testTool('send_agent_message', {
  description: 'Reports to an agent.',
  schema: { agentId: z.string() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  execute: async ({ agentId }) => ({ agentId, messageId: 'm' }),
});
const runtime = useFixture(() => startTestRuntime({ tools: testRegistry([reportTool]) }));

const clock = { aheadMs: 0 };
const now = (): Date => new Date(Date.now() + clock.aheadMs);
const nothing = (): void => undefined;
const depsWith = (overrides: object = {}) => ({
  ...runtime,
  notifySender: makeNotifySender(runtime.deliverToAgent),
  interruptAgent: (agentId: string) => runtime.feed.interrupt([agentId]),
  hintUser: nothing,
  now,
  ...overrides,
});
const end = (agent: Agent, overrides: object = {}): Promise<void> =>
  makeEndAgent(depsWith(overrides))(agent);
const permanentDescriptor = (): Descriptor => ({
  kind: 'permanent',
  id: createId(),
  name: 'Librarian',
  description: '',
  systemPrompt: '',
});
const newBackgroundAgent = (parent: Agent): Promise<Agent> => {
  const descriptor = { id: createId(), parentAgentId: parent.id, name: 'digger' };
  return runtime.newAgent({ kind: 'subagent', ...descriptor }, parent.userId);
};
const agentMessage = (sender: Agent, { id: agentId, userId }: Agent, text: string): InboxItem => ({
  kind: 'system_message',
  agentId,
  userId,
  messageId: createId(),
  acceptedAt: now(),
  text,
  origin: sender.id,
  silent: false,
  hops: 1,
  senderUserId: sender.userId,
  sender: { agentId: sender.id, userId: sender.userId },
});
const noticesOf = async ({ id }: Agent): Promise<SystemMessage[]> => {
  const rows = await runtime.mongo.db.collection('outbox').find({}).toArray();
  const sent = rows.map(({ payload }) => SystemMessage.decode((payload as Binary).buffer));
  return sent.filter(({ notice }) => notice?.agentId === id);
};
const isDead = async ({ id }: Agent): Promise<boolean> =>
  (await runtime.agents.find(id))?.diedAt !== undefined;
const waitingCount = async (agent: Agent): Promise<number> =>
  (await runtime.inbox.next(agent, 100)).length;

/** A replica whose model never answers the message "hang". */
async function serveHanging() {
  let proceed: () => void = nothing;
  const asked = new Promise<void>((resolve) => (proceed = resolve));
  const stop = await serveNext(runtime, {
    ...localProvider,
    async answer(request) {
      const last = request.context.at(-1);
      if (last?.role !== 'user' || last.text !== 'hang') return localProvider.answer(request);
      proceed();
      return new Promise(nothing);
    },
  });
  return { stop, asked };
}

/** Sweeps with a clock that is ahead; returns the ids of the agents whose endings it checked. */
async function sweepAfter(aheadMs: number): Promise<string[]> {
  const checked: string[] = [];
  const later = (): Date => new Date(Date.now() + aheadMs);
  const interruptAgent = (agentId: string) => checked.push(agentId);
  await makeSweepEndings(depsWith({ now: later, interruptAgent }))();
  return checked;
}

describe('ending an agent', () => {
  it('drops waiting items and notifies their senders and topology once, even if the ending is repeated', async () => {
    const sender = await runtime.newAgent();
    const agent = await runtime.newAgent(permanentDescriptor(), sender.userId);
    await runtime.putItems([{ agent, item: agentMessage(sender, agent, 'one') }]);
    await end(agent);
    await end(agent);
    expect(await isDead(agent)).toBe(true);
    expect(await waitingCount(agent)).toBe(0);
    expect(await runtime.inbox.next(sender, 10)).toMatchObject([
      { origin: 'system', text: expect.stringContaining('Librarian') },
    ]);
    expect(await noticesOf(agent)).toMatchObject([
      {
        notice: { kind: NoticeKind.AGENT_ENDED },
        recipient: { userId: agent.userId, target: { $case: 'service', value: 'topology' } },
      },
    ]);
  });

  it.each([
    ['before it reads the agent’s inbox', { inbox: dyingInbox('next') }],
    ['before it settles the agent’s items', { inbox: dyingInbox('settle') }],
    ['before it notifies topology', { outbox: { append: failing } }],
  ])(
    'when a process that is ending an agent dies %s, the sweep completes the ending',
    async (_when, overrides) => {
      const sender = await runtime.newAgent();
      const agent = await runtime.newAgent(permanentDescriptor(), sender.userId);
      await runtime.putItems([{ agent, item: agentMessage(sender, agent, 'one') }]);
      await expect(end(agent, overrides)).rejects.toThrow('died');
      expect(await isDead(agent)).toBe(true);
      await makeSweepEndings(depsWith())();
      expect(await waitingCount(agent)).toBe(0);
      expect(await runtime.inbox.next(sender, 10)).toHaveLength(1);
      expect(await noticesOf(agent)).toHaveLength(1);
    },
  );

  it('a minute after an agent ended, the sweep drops items that were stored in the meantime', async () => {
    const sender = await runtime.newAgent();
    const agent = await runtime.newAgent(permanentDescriptor(), sender.userId);
    await end(agent);
    await runtime.putItems([{ agent, item: agentMessage(sender, agent, 'late') }]);
    await sweepAfter(61_000);
    expect(await waitingCount(agent)).toBe(0);
    expect(await runtime.inbox.next(sender, 10)).toHaveLength(1);
    const checked = await sweepAfter(3_600_000);
    expect(checked).not.toContain(agent.id);
  });

  it('a completed ending is not repeated, except for one final check by one replica', async () => {
    const agent = await runtime.newAgent(permanentDescriptor());
    await end(agent);
    expect(await sweepAfter(0)).not.toContain(agent.id);
    expect(await sweepAfter(30_000)).not.toContain(agent.id);
    const checks = await Promise.all([sweepAfter(61_000), sweepAfter(61_000)]);
    expect(checks.flat().filter((id) => id === agent.id)).toHaveLength(1);
    expect(await sweepAfter(120_000)).not.toContain(agent.id);
  });

  it('a failed ending does not prevent other agents’ endings', async () => {
    const [bad, good] = [
      await runtime.newAgent(permanentDescriptor()),
      await runtime.newAgent(permanentDescriptor()),
    ];
    for (const agent of [bad, good])
      await expect(end(agent, { outbox: { append: failing } })).rejects.toThrow('died');
    const next = async (agent: Agent, limit: number) =>
      agent.id === bad.id ? failing() : runtime.inbox.next(agent, limit);
    const inbox = { next, settle: runtime.inbox.settle.bind(runtime.inbox) };
    await expect(makeSweepEndings(depsWith({ inbox }))()).rejects.toThrow('1 failed');
    expect(await noticesOf(good)).toHaveLength(1);
    await sweepAfter(11_000);
    expect(await noticesOf(bad)).toHaveLength(1);
  });

  it('stops the agent’s turn in progress and records nothing after “Stopped.”', async () => {
    const { stop, asked } = await serveHanging();
    const agent = await runtime.newAgent(permanentDescriptor());
    await runtime.say(agent, 'hang');
    await asked;
    await end(agent);
    await eventually(async () => (await runtime.textsOf(agent)).at(-1) === 'Stopped.');
    expect(await runtime.textsOf(agent)).toEqual(['start', 'hang', 'Stopped.']);
    await stop();
  });

  it('a turn stops at the next poll if the hint to interrupt it was lost', async () => {
    const { stop, asked } = await serveHanging();
    const agent = await runtime.newAgent(permanentDescriptor());
    await runtime.say(agent, 'hang');
    await asked;
    await end(agent, { interruptAgent: nothing });
    await eventually(async () => (await runtime.textsOf(agent)).at(-1) === 'Stopped.');
    await stop();
  });

  it('a person can end a background agent, but neither the agent of a chat nor another user’s agent', async () => {
    const request = makeRequestEnd({ agents: runtime.agents, endAgent: end });
    const call = (agent: Agent, userId = agent.userId) =>
      request({ userId, agentId: agent.id, requestId: 'r' });
    const talker = await runtime.newAgent();
    await expect(call(talker)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    const agent = await newBackgroundAgent(talker);
    await expect(call(agent, createId())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await isDead(agent)).toBe(false);
    await call(agent);
    await call(agent);
    expect(await isDead(agent)).toBe(true);
  });
});

describe('ending background agents', () => {
  const reportTo = ({ id: agentId }: Agent): string =>
    `/send_agent_message ${JSON.stringify({ agentId })}`;

  it('a background agent ends after the turn in which it reported to its parent', async () => {
    const parent = await runtime.newAgent();
    const agent = await newBackgroundAgent(parent);
    await runtime.say(agent, reportTo(parent));
    const stop = await serveNext(runtime, localProvider);
    await eventually(() => isDead(agent));
    expect((await runtime.textsOf(agent)).at(-1)).toContain('send_agent_message');
    await eventually(async () => (await noticesOf(agent)).length === 1);
    await stop();
  });

  it('a background agent does not end after reporting to anyone but its parent, or if another item is waiting when it has reported', async () => {
    const [parent, other] = [await runtime.newAgent(), await runtime.newAgent()];
    const [talkative, busy] = [await newBackgroundAgent(parent), await newBackgroundAgent(parent)];
    await runtime.say(talkative, reportTo(other));
    await runtime.say(busy, reportTo(parent));
    await runtime.putItems([{ agent: busy, item: agentMessage(parent, busy, 'one more thing') }]);
    const stop = await serveNext(runtime, localProvider);
    for (const agent of [talkative, busy])
      await eventually(async () => (await waitingCount(agent)) === 0);
    await stop();
    expect(await Promise.all([talkative, busy].map(isDead))).toEqual([false, false]);
  });

  it('when a background agent ends before it has handled its parent’s message, the parent is notified once', async () => {
    const parent = await runtime.newAgent();
    const agent = await newBackgroundAgent(parent);
    await runtime.putItems([{ agent, item: agentMessage(parent, agent, 'one more thing') }]);
    await end(agent);
    await end(agent);
    expect(await waitingCount(agent)).toBe(0);
    expect(await runtime.inbox.next(parent, 10)).toMatchObject([
      { origin: 'system', text: expect.stringContaining('digger') },
    ]);
  });

  it('a background agent that has reported continues while one of its permission requests is pending', async () => {
    const parent = await runtime.newAgent();
    const agent = await newBackgroundAgent(parent);
    const expiresAt = new Date(Date.now() + 600_000);
    await runtime.mongo.db
      .collection('permissions')
      .insertOne({ agentId: agent.id, state: 'pending', expiresAt });
    await runtime.say(agent, reportTo(parent));
    const stop = await serveNext(runtime, localProvider);
    await eventually(async () => (await waitingCount(agent)) === 0);
    await stop();
    expect(await isDead(agent)).toBe(false);
  });

  it('a background agent ends after a long idle time, unless items are waiting for it', async () => {
    const parent = await runtime.newAgent();
    const [idle, busy, fresh] = [
      await newBackgroundAgent(parent),
      await newBackgroundAgent(parent),
      await newBackgroundAgent(parent),
    ];
    await runtime.say(busy, 'hello');
    const endIdle = makeEndIdleAgents({ ...depsWith(), endAgent: end, idleMs: 60_000 });
    await endIdle();
    expect(await isDead(idle)).toBe(false);
    clock.aheadMs = 120_000;
    await runtime.agents.touch([fresh.id], now());
    await endIdle();
    clock.aheadMs = 0;
    expect(await Promise.all([idle, busy, fresh, parent].map(isDead))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

async function failing(): Promise<never> {
  throw new Error('died');
}

/** The inbox of a process that dies when it calls this method. */
function dyingInbox(method: 'next' | 'settle') {
  return {
    next: (...call: Parameters<typeof runtime.inbox.next>) =>
      method === 'next' ? failing() : runtime.inbox.next(...call),
    settle: failing,
  };
}
