import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Binary } from 'mongodb';
import { NoticeKind, SystemMessage } from '@daycare/contracts/common';
import { eventually, profileQueries, queriesWithoutIndex } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../../agents/domain/agent';
import { localProvider } from '../../../models/providers/local-provider';
import type { ModelProvider } from '../../../models/providers/model-provider';
import { buildTestDelivery, deliver, friendMail, newTie } from '../../../test-support/test-endings';
import { serveNext, startTestRuntime } from '../../../test-support/test-runtime';
import { makeSweepClosedMessages } from './close-tie';

const runtime = useFixture(startTestRuntime);

const textsOf = async (agent: Agent): Promise<string[]> =>
  (await runtime.inbox.next(agent, 2_000)).map((item) =>
    item.kind === 'system_message' ? item.text : '',
  );

/** A message stored although its tie had ended, by a process that died before it checked for closings. */
async function storeLateMail() {
  const agent = await runtime.newAgent();
  const tie = newTie();
  const replica = buildTestDelivery(runtime);
  await replica.closedTies.close({ ...tie, version: 4 });
  const mail = friendMail(agent.userId, 'late', tie);
  await runtime.placeItems([{ item: mail.message, recipients: [agent], tie }]);
  return { agent, replica, mail };
}

/** The ids that were reported to social-graph as dropped. */
async function reportedIds(): Promise<string[]> {
  const rows = await runtime.mongo.db
    .collection<{ payload: Binary }>('outbox')
    .find({ recipientService: 'social-graph' })
    .toArray();
  return rows
    .map(({ payload }) => SystemMessage.decode(payload.buffer))
    .filter(({ notice }) => notice?.kind === NoticeKind.MESSAGES_DROPPED)
    .flatMap(({ notice }) => notice?.messageIds ?? []);
}

/** A model that answers only after `release`; `received` collects the requests that contain the given words. */
function heldProvider(words: string) {
  const received: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const provider: ModelProvider = {
    ...localProvider,
    async answer(request) {
      const asked = JSON.stringify(request.context.at(-1));
      if (asked.includes(words)) received.push(asked);
      await held;
      return localProvider.answer(request);
    },
  };
  return { provider, received, release };
}

/** Stores that the agent's turn in progress has taken the message. */
async function takeMessage(agentId: string, messageId: string): Promise<void> {
  const { number, state } = (await runtime.history.findHead(agentId))!;
  await runtime.mongo.db
    .collection<{ agentId: string; number: number }>('history')
    .updateOne(
      { agentId, number },
      { $set: { state: { ...state, current: { messageIds: [messageId] } } } },
    );
}

describe('a tie that is closed', () => {
  it('closing a tie drops its messages in inboxes and mailboxes, and reports them as dropped', async () => {
    const agent = await runtime.newAgent();
    const [tie, noAgents] = [newTie(), createId()];
    const mail = [friendMail(agent.userId, 'a', tie), friendMail(noAgents, 'b', tie)];
    const kept = friendMail(agent.userId, 'other', newTie());
    const replica = buildTestDelivery(runtime);
    await deliver(replica, [...mail, kept]);
    await replica.closeTie({ ...tie, version: 4 });
    expect(await textsOf(agent)).toEqual(['other']);
    const late = await runtime.newAgent(undefined, noAgents);
    expect(await textsOf(late)).toEqual([]);
    expect(await runtime.mailbox.usersWithUnrouted([noAgents])).toEqual([]);
    expect(await reportedIds()).toEqual(
      expect.arrayContaining(mail.map(({ message }) => message.messageId)),
    );
    expect(await reportedIds()).not.toContain(kept.message.messageId);
  });

  it('closing a tie erases the text of dropped messages and keeps messages sent under the tie’s new version', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const mail = [
      friendMail(agent.userId, 'a dropped secret', tie),
      friendMail(agent.userId, 'allowed', { ...tie, version: 4 }),
    ];
    const replica = buildTestDelivery(runtime);
    await deliver(replica, mail);
    await replica.closeTie({ ...tie, version: 4 });
    expect(await textsOf(agent)).toEqual(['allowed']);
    const rows = await runtime.mongo.db
      .collection('inbox')
      .find({ userId: agent.userId })
      .toArray();
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('a dropped secret');
  });

  it('when a tie is closed while a thousand messages are waiting, only those that a running turn has already taken are handled', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const mail = Array.from({ length: 1_000 }, (_, n) =>
      friendMail(agent.userId, `thousand ${n}`, tie),
    );
    const replica = buildTestDelivery(runtime);
    await deliver(replica, mail.slice(0, 1));
    const { provider, received, release } = heldProvider('thousand');
    const stop = await serveNext(runtime, provider);
    await eventually(async () => received.length === 1);
    await deliver(replica, mail.slice(1));
    await replica.closeTie({ ...tie, version: 4 });
    release();
    await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
    expect(received).toHaveLength(1);
    expect(received[0]).toContain('thousand 0');
    const reported = await reportedIds();
    expect(reported).not.toContain(mail[0]!.message.messageId);
    expect(reported).toEqual(
      expect.arrayContaining(mail.slice(1).map(({ message }) => message.messageId)),
    );
    await stop();
  });

  it('after a tie is closed, a message taken by the turns of two agents stays for both', async () => {
    const lead = await runtime.newAgent();
    const both = [lead, await runtime.newAgent(undefined, lead.userId)];
    const tie = newTie();
    const mail = friendMail(lead.userId, 'hello', tie);
    const replica = buildTestDelivery(runtime);
    await deliver(replica, [mail]);
    for (const { id } of both) await takeMessage(id, mail.message.messageId);
    await replica.closeTie({ ...tie, version: 4 });
    expect(await runtime.inbox.countByAgent(both)).toEqual(new Map(both.map(({ id }) => [id, 1])));
  });

  it('after a tie is closed, a message taken by one agent’s turn is dropped for the agents that only listen', async () => {
    const lead = await runtime.newAgent();
    const listener = await runtime.newAgent(undefined, lead.userId);
    const tie = newTie();
    const mail = friendMail(lead.userId, 'hello', tie);
    const replica = buildTestDelivery(runtime);
    await deliver(replica, [mail]);
    const leadId = await runtime.inbox.findRecipient(lead.userId, mail.message.messageId);
    const silent = leadId === lead.id ? listener : lead;
    await takeMessage(leadId!, mail.message.messageId);
    await replica.closeTie({ ...tie, version: 4 });
    expect(await runtime.inbox.countByAgent([silent])).toEqual(new Map());
    expect(await runtime.inbox.countByAgent([{ id: leadId! }])).toEqual(new Map([[leadId, 1]]));
  });

  it('messages accepted before a tie was closed are refused if they arrive later, and those from the next friendship are delivered', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const replica = buildTestDelivery(runtime);
    await replica.closeTie({ ...tie, version: 4 });
    const old = friendMail(agent.userId, 'old', tie);
    const next = friendMail(agent.userId, 'new', { ...tie, version: 5 });
    expect(await deliver(replica, [old, next])).toEqual(['no longer allowed', 'delivered']);
    expect(await textsOf(agent)).toEqual(['new']);
    const ref = { id: old.message.messageId, userId: agent.userId };
    expect(await replica.findHandled([ref])).toEqual(new Set([ref.id]));
    expect(await runtime.deadLetters.findIds([ref.id])).toEqual([]);
  });

  it('closing a share drops only messages to and from its subuser', async () => {
    const gateway = await runtime.newAgent();
    const tie = newTie();
    const mail = [
      friendMail(gateway.userId, 'to the helper', { ...tie, subuserId: 'helper' }),
      friendMail(gateway.userId, 'to the cook', { ...tie, subuserId: 'cook' }),
      friendMail(gateway.userId, 'to the friend', tie),
    ];
    const replica = buildTestDelivery(runtime);
    await deliver(replica, mail);
    await replica.closeTie({ ...tie, version: 4, subuserId: 'helper' });
    expect(await textsOf(gateway)).toEqual(['to the cook', 'to the friend']);
    const late = friendMail(gateway.userId, 'late', { ...tie, subuserId: 'helper' });
    expect(await deliver(replica, [late])).toEqual(['no longer allowed']);
  });
});

describe('closings that race with deliveries', () => {
  it('a message stored while another replica closes its tie is dropped', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const otherReplica = buildTestDelivery(runtime);
    const replica = buildTestDelivery(runtime, {
      placeItems: async (placed) => {
        await otherReplica.closeTie({ ...tie, version: 4 });
        return runtime.placeItems(placed);
      },
    });
    expect(await deliver(replica, [friendMail(agent.userId, 'late', tie)])).toEqual([
      'no longer allowed',
    ]);
    expect(await textsOf(agent)).toEqual([]);
  });

  it('a message whose delivery was interrupted before it checked for closings is dropped when it is redelivered', async () => {
    const { agent, replica, mail } = await storeLateMail();
    expect(await deliver(replica, [{ ...mail, isRedelivery: true }])).toEqual([
      'no longer allowed',
    ]);
    expect(await textsOf(agent)).toEqual([]);
  });

  it('the regular sweep drops messages of ended ties that a process stored just before it died', async () => {
    const { agent, replica, mail } = await storeLateMail();
    await replica.sweepClosedMessages();
    expect(await textsOf(agent)).toEqual([]);
    expect(await reportedIds()).toContain(mail.message.messageId);
  });

  it('repeated calls of the regular sweep check all waiting messages, even if dropping some of them fails once', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => runtime.newAgent()));
    const replica = buildTestDelivery(runtime);
    for (const agent of agents) {
      const tie = newTie();
      await replica.closedTies.close({ ...tie, version: 4, subuserId: 'helper' });
      for (const text of ['a', 'b'])
        await runtime.placeItems([
          {
            item: friendMail(agent.userId, text, tie).message,
            recipients: [agent],
            tie: { ...tie, subuserId: 'helper' },
          },
        ]);
    }
    let failuresLeft = 1;
    const dropClosedMessages: typeof replica.dropClosedMessages = async (closing) => {
      if (failuresLeft-- > 0) throw new Error('away');
      await replica.dropClosedMessages(closing);
    };
    const deps = { ...runtime, closedTies: replica.closedTies, dropClosedMessages };
    const sweep = makeSweepClosedMessages(deps, { keysPerPage: 3, pages: 1 });
    const errors: unknown[] = [];
    await eventually(async () => {
      await sweep().catch((error: unknown) => errors.push(error));
      return (await runtime.inbox.countByAgent(agents)).size === 0;
    });
    expect(errors).toEqual([new Error('away')]);
  });

  it('the regular sweep reads only index keys of the inbox, and needs three queries however many shares have ended', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const replica = buildTestDelivery(runtime);
    for (let share = 0; share < 30; share += 1)
      await replica.closedTies.close({ ...tie, version: 2, subuserId: `helper${share}` });
    await deliver(
      replica,
      Array.from({ length: 30 }, () => friendMail(agent.userId, 'hello', tie)),
    );
    // Clears messages that other tests have left.
    await replica.sweepClosedMessages();
    const profileSweep = () =>
      profileQueries(runtime.mongo.db, /\.(inbox|closed_ties)$/, async () => {
        await replica.sweepClosedMessages();
      });
    // On a busy machine, MongoDB's profiler may leave a query out.
    const queries = await eventually(async () => {
      const profiled = await profileSweep();
      return profiled.length >= 3 ? profiled : undefined;
    });
    expect(queries).toHaveLength(3);
    const inboxQueries = queries.filter(({ ns }) => ns.endsWith('.inbox'));
    expect(inboxQueries.map(({ docsExamined }) => docsExamined)).toEqual([0, 0]);
  });

  it('a message handled before its tie was closed is still reported as delivered when it arrives again', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const replica = buildTestDelivery(runtime);
    const mail = friendMail(agent.userId, 'delivered', tie);
    await deliver(replica, [mail]);
    await runtime.inbox.settle(agent, [mail.message.messageId], new Date());
    await replica.closeTie({ ...tie, version: 4 });
    expect(await deliver(replica, [{ ...mail, isRedelivery: true }])).toEqual(['delivered']);
  });

  it('a closing that arrives twice or out of order never makes a forbidden message allowed again', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const replica = buildTestDelivery(runtime);
    await replica.closeTie({ ...tie, version: 9 });
    await replica.closeTie({ ...tie, version: 4 });
    await replica.closeTie({ ...tie, version: 4 });
    const between = friendMail(agent.userId, 'between', { ...tie, version: 7 });
    expect(await deliver(replica, [between])).toEqual(['no longer allowed']);
  });

  it('every query for closings uses an index', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie();
    const replica = buildTestDelivery(runtime);
    const queries = await profileQueries(runtime.mongo.db, /\.(inbox|closed_ties)$/, async () => {
      await deliver(replica, [friendMail(agent.userId, 'a', tie)]);
      await replica.closeTie({ ...tie, version: 4 });
      await deliver(replica, [friendMail(agent.userId, 'b', tie)]);
      await replica.sweepClosedMessages();
      await replica.closedTies.deleteByUser(tie.id.split(':')[0]!);
    });
    expect(queriesWithoutIndex(queries)).toEqual([]);
  });
});
