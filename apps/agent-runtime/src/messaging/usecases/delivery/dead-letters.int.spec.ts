import { beforeAll, describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import type { Agent } from '../../../agents/domain/agent';
import { nextEntry, type HistoryEntry } from '../../../agents/domain/history-entry';
import type { DeadLetter } from '../../domain/dead-letter';
import type { InboxItem } from '../../domain/inbox-item';
import { assumeLease } from '../../../turns/domain/turn-steps';
import { AgentSession } from '../../../turns/sessions/agent-session';
import { localProvider } from '../../../models/providers/local-provider';
import { makeSettle } from '../../../turns/loop/settle-work';
import { ClosedTieStore } from '../../store/closed-tie-store';
import { DeadLetterStore } from '../../store/dead-letter-store';
import { InboxStore } from '../../store/inbox-store';
import {
  personMessage,
  TestLease,
  type TestRuntime,
  serveNext,
  startTestRuntime,
} from '../../../test-support/test-runtime';
import { buildTestDelivery } from '../../../test-support/test-endings';
import { makeDeleteDeadLetter, makeRetryDeadLetter } from './dead-letters';

const runtime = useFixture(startTestRuntime);
let retry: ReturnType<typeof makeRetryDeadLetter>;
const now = (): Date => new Date();

beforeAll(() => {
  retry = makeRetryDeadLetter({ ...retryDeps(), now });
});

const retryDeps = () => ({
  ...runtime,
  closedTies: new ClosedTieStore(runtime.mongo.db),
  redeliver: async () => undefined,
});

/** Stores of a process that dies when it calls these methods. */
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

const serve = () => serveNext(runtime, localProvider);

/** Adds a dead letter like the one that a failing turn stores. */
async function addDeadLetter(
  agent: Agent,
  text: string,
  more: Partial<DeadLetter> = {},
): Promise<DeadLetter> {
  const item = personMessage(agent, text);
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
    ...more,
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

describe('retryDeadLetter', () => {
  it('hands a dead letter’s item to its agent again and removes the dead letter from the list', async () => {
    const stop = await serve();
    const agent = await runtime.newAgent();
    const { id } = await addDeadLetter(agent, 'hello');
    await retry({ userId: agent.userId }, 'r1', id);
    expect(await whenAnswered(agent, 1)).toEqual(['You said: hello']);
    expect(await lettersOf(agent)).toEqual([]);
    await stop();
  });

  it('a dead letter whose tie has ended is not retried, and a retried item is dropped when its tie ends later', async () => {
    const agent = await runtime.newAgent();
    const { closedTies } = retryDeps();
    const replica = buildTestDelivery(runtime);
    const [blocked, friend] = [createId(), createId()].map((id) => ({ id, version: 2 }));
    const letters = [
      await addDeadLetter(agent, 'blocked', { tie: blocked! }),
      await addDeadLetter(agent, 'allowed', { tie: friend! }),
    ];
    await closedTies.close({ ...blocked!, version: 3 });
    const [refused, accepted] = letters.map(({ id }) => retry({ userId: agent.userId }, 'r1', id));
    await expect(refused).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    await accepted;
    expect((await runtime.inbox.next(agent, 10)).length).toBe(1);
    await closedTies.close({ ...friend!, version: 3 });
    await replica.sweepClosedMessages();
    expect(await runtime.inbox.next(agent, 10)).toEqual([]);
  });

  it('hands the item to its agent only once if the call is interrupted and retried', async () => {
    const stop = await serve();
    const agent = await runtime.newAgent();
    const { id } = await addDeadLetter(agent, 'hello');
    const reader = { userId: agent.userId };
    const interrupted = makeRetryDeadLetter({
      ...retryDeps(),
      deadLetters: new DyingLetters(runtime.mongo.db),
      now,
    });
    await expect(interrupted(reader, 'r1', id)).rejects.toThrow('died');
    await whenAnswered(agent, 1);
    await Promise.all([retry(reader, 'r1', id), retry(reader, 'r1', id)]);
    await runtime.say(agent, 'next');
    expect(await whenAnswered(agent, 2)).toEqual(['You said: hello', 'You said: next']);
    await stop();
  });

  it('retrying a dead letter returns NOT_FOUND to strangers, and to its own user once a different request has retried it', async () => {
    const agent = await runtime.newAgent();
    const { id } = await addDeadLetter(agent, 'hello');
    await expect(retry({ userId: createId() }, 'r1', id)).rejects.toThrow('not found');
    await retry({ userId: agent.userId }, 'r1', id);
    await retry({ userId: agent.userId }, 'r1', id);
    await expect(retry({ userId: agent.userId }, 'r2', id)).rejects.toThrow('not found');
  });
});

describe('deleteDeadLetter', () => {
  const remove = (reader: { readonly userId: string }, requestId: string, id: string) =>
    makeDeleteDeadLetter({ ...runtime, now })(reader, requestId, id);

  it('deletes a dead letter for good; its message stays abandoned if it arrives again', async () => {
    const agent = await runtime.newAgent();
    const { id } = await addDeadLetter(agent, 'something private');
    const reader = { userId: agent.userId };
    await Promise.all([remove(reader, 'r1', id), remove(reader, 'r1', id)]);
    expect(await lettersOf(agent)).toEqual([]);
    await expect(retry(reader, 'r2', id)).rejects.toThrow('not found');
    await expect(remove(reader, 'r2', id)).rejects.toThrow('not found');
    expect([...(await runtime.deadLetters.findMany([id])).keys()]).toEqual([id]);
    const stored = await runtime.mongo.db
      .collection<{ _id: string }>('dead_letters')
      .findOne({ _id: id });
    expect(JSON.stringify(stored)).not.toContain('private');
  });

  it('deleting a dead letter returns NOT_FOUND to strangers and for dead letters that were retried', async () => {
    const agent = await runtime.newAgent();
    const { id } = await addDeadLetter(agent, 'hello');
    await expect(remove({ userId: createId() }, 'r1', id)).rejects.toThrow('not found');
    await retry({ userId: agent.userId }, 'r1', id);
    await expect(remove({ userId: agent.userId }, 'r2', id)).rejects.toThrow('not found');
  });
});

describe('the expiry of dead letters', () => {
  it('a dead letter expires 30 days after its item was abandoned', async () => {
    const { id, deadAt } = await addDeadLetter(await runtime.newAgent(), 'hello');
    const letters = runtime.mongo.db.collection<{ _id: string; expiresAt: Date }>('dead_letters');
    const stored = await letters.findOne({ _id: id });
    expect(stored?.expiresAt.getTime()).toBe(deadAt.getTime() + 30 * 24 * 60 * 60 * 1000);
  });
});

describe('crashes', () => {
  it('if a replica crashes after it has stored a dead letter and before it has settled the inbox, another one settles it, and there is one dead letter and one notice', async () => {
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
    const notices: string[] = [];
    const settle = (inbox: TestRuntime['inbox']) =>
      makeSettle({
        expireTurnRequests: async () => undefined,
        hasPending: async () => false,
        ...runtime,
        inbox,
        deliverToAgent: async (_, { messageId }) => void notices.push(messageId),
        endAgent: async () => undefined,
        endRun: async () => undefined,
        now,
      });
    const givenUp = await giveUp(agent, item.messageId);
    const dying = new DyingInbox(runtime.mongo.db);
    const first = await AgentSession.open(
      { ...runtime, holder: 'a', now },
      agent,
      new TestLease(1),
    );
    await expect(settle(dying)(first)).rejects.toThrow('died');
    await runtime.history.append(
      nextEntry(givenUp, assumeLease(givenUp.state, now()), { holder: 'b', fence: 2 }, now()),
    );
    const next = await AgentSession.open({ ...runtime, holder: 'b', now }, agent, new TestLease(2));
    await settle(runtime.inbox)(next);
    expect(new Set(notices).size).toBe(1);
    expect(await lettersOf(agent)).toHaveLength(1);
    expect((await runtime.inbox.countByAgent([agent])).size).toBe(0);
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
