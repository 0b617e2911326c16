import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { eventually } from '@daycare/testing';
import type { Agent } from '../domain/agent';
import { nextEntry, type HistoryEntry } from '../domain/agent-state';
import type { DeadLetter } from '../domain/dead-letter';
import type { InboxItem } from '../domain/inbox-item';
import { takeCharge } from '../domain/turn-steps';
import { AgentSession } from '../runtime/agent-session';
import { localProvider } from '../runtime/local-provider';
import { makeSettle } from '../runtime/settle-work';
import { DeadLetterStore } from '../store/dead-letter-store';
import { InboxStore } from '../store/inbox-store';
import { startTestRuntime, TestLease, words, type TestRuntime } from '../test-support/test-runtime';
import { makeRetryDeadLetter } from './dead-letters';

let runtime: TestRuntime;
let retry: ReturnType<typeof makeRetryDeadLetter>;
const now = (): Date => new Date();

beforeAll(async () => {
  runtime = await startTestRuntime();
  retry = makeRetryDeadLetter({ ...runtime, redeliver: async () => undefined, now });
});
afterAll(() => runtime.close());

/** As in a process that dies at these points. */
class DyingLetters extends DeadLetterStore {
  override async markRetried(): Promise<void> {
    throw new Error('the process died');
  }
}
class DyingInbox extends InboxStore {
  override async settle(): Promise<void> {
    throw new Error('the process died');
  }
}

let nextFence = 1;
const serve = async () => {
  const lease = new TestLease(nextFence++);
  const replica = runtime.replica(`r${lease.fence}`, localProvider);
  await replica.serve(lease);
  return () => replica.leave(lease);
};

/** A letter as a failing turn leaves it. */
async function bury(agent: Agent, text: string): Promise<DeadLetter> {
  const item = words(agent, text);
  const letter: DeadLetter = {
    id: createId(),
    userId: agent.userId,
    ownerUserId: undefined,
    agentId: agent.id,
    kind: 'message',
    messageId: item.messageId,
    origin: '',
    text,
    reason: 'broken',
    attempts: 5,
    acceptedAt: item.acceptedAt,
    deadAt: now(),
    item,
    payload: undefined,
    retriedBy: undefined,
  };
  await runtime.deadLetters.add([letter]);
  return letter;
}

const answersOf = async (agent: Agent): Promise<string[]> => {
  const records = await runtime.history.listRecords(agent, { after: 0, limit: 100 });
  return records.flatMap((record) => (record.kind === 'assistant_message' ? [record.text] : []));
};
const whenAnswered = (agent: Agent, count: number): Promise<string[]> =>
  eventually(async () => {
    const answers = await answersOf(agent);
    return answers.length >= count && answers;
  });
const lettersOf = ({ userId }: Agent): Promise<DeadLetter[]> =>
  runtime.deadLetters.list({ reader: { userId }, agentId: '', after: undefined, limit: 10 });

describe('a dead letter that is put back', () => {
  it('is handled although nothing is left of it in the inbox, and is a letter no more', async () => {
    const leave = await serve();
    const agent = await runtime.newAgent();
    const { id } = await bury(agent, 'hello');
    await retry({ userId: agent.userId }, 'r1', id);
    expect(await whenAnswered(agent, 1)).toEqual(['You said: hello']);
    expect(await lettersOf(agent)).toEqual([]);
    await leave();
  });

  it('is handled once when the call is cut off before the letter is marked, and repeated', async () => {
    const leave = await serve();
    const agent = await runtime.newAgent();
    const { id } = await bury(agent, 'hello');
    const reader = { userId: agent.userId };
    const cutOff = makeRetryDeadLetter({
      ...runtime,
      deadLetters: new DyingLetters(runtime.mongo.db),
      redeliver: async () => undefined,
      now,
    });
    await expect(cutOff(reader, 'r1', id)).rejects.toThrow('died');
    await whenAnswered(agent, 1);
    await Promise.all([retry(reader, 'r1', id), retry(reader, 'r1', id)]);
    await runtime.putItems([{ agent, item: words(agent, 'next') }]);
    expect(await whenAnswered(agent, 2)).toEqual(['You said: hello', 'You said: next']);
    await leave();
  });

  it('is not found by strangers, nor by a second request once it has been put back', async () => {
    const agent = await runtime.newAgent();
    const { id } = await bury(agent, 'hello');
    await expect(retry({ userId: createId() }, 'r1', id)).rejects.toThrow('not found');
    await retry({ userId: agent.userId }, 'r1', id);
    await retry({ userId: agent.userId }, 'r1', id);
    await expect(retry({ userId: agent.userId }, 'r2', id)).rejects.toThrow('not found');
  });
});

describe('a crash between burying and the inbox', () => {
  it('leaves one letter and one notice, whoever goes on', async () => {
    const [sender, agent] = await Promise.all([runtime.newAgent(), runtime.newAgent()]);
    const item: InboxItem = {
      kind: 'system_message',
      agentId: agent.id,
      userId: agent.userId,
      messageId: createId(),
      acceptedAt: now(),
      text: 'poison',
      origin: sender.id,
      silent: false,
      sender: { agentId: sender.id, userId: agent.userId },
      hops: 1,
    };
    await runtime.putItems([{ agent, item }]);
    const told: string[] = [];
    const settle = (inbox: TestRuntime['inbox']) =>
      makeSettle({
        ...runtime,
        inbox,
        tellAgent: async (_, { messageId }) => void told.push(messageId),
        now,
      });
    const given = await giveUp(agent, item.messageId);
    const dying = new DyingInbox(runtime.mongo.db);
    const first = await AgentSession.open(
      { ...runtime, holder: 'a', now },
      agent,
      new TestLease(1),
    );
    await expect(settle(dying)(first)).rejects.toThrow('died');
    await runtime.history.append(
      nextEntry(given, takeCharge(given.state, now()), { holder: 'b', fence: 2 }, now()),
    );
    const next = await AgentSession.open({ ...runtime, holder: 'b', now }, agent, new TestLease(2));
    await settle(runtime.inbox)(next);
    expect(new Set(told).size).toBe(1);
    expect(await lettersOf(agent)).toHaveLength(1);
    expect((await runtime.inbox.counts([agent])).size).toBe(0);
  });

  async function giveUp(agent: Agent, messageId: string): Promise<HistoryEntry> {
    const head = (await runtime.history.findHead(agent.id))!;
    const settled = { messageIds: [messageId], dead: { reason: 'broken', attempts: 5 } };
    const step = { events: [{ kind: 'note', text: 'no' } as const], current: undefined, settled };
    const entry = nextEntry(head, step, { holder: 'a', fence: 1 }, now());
    await runtime.history.append(entry);
    return entry;
  }
});

it('a message that comes again after it was delivered does not bring its text back', async () => {
  const message = {
    kind: 'system_message',
    messageId: createId(),
    userId: createId(),
    acceptedAt: now(),
    text: 'secret',
    origin: 'friend:otter7',
    silent: false,
    hops: 0,
  } as const;
  await runtime.mailbox.put(message);
  await runtime.mailbox.close(message, now());
  expect(await runtime.mailbox.put(message)).toMatchObject({ isDelivered: true });
  const stored = await runtime.mongo.db
    .collection('mailboxes')
    .find({ userId: message.userId })
    .toArray();
  expect(JSON.stringify(stored)).not.toContain('secret');
});
