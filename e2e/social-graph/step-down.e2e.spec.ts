import { beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { eventually } from '@daycare/testing';
import { whenDrained } from '../support/load/message-storm';
import { historyOf, post } from '../support/people/history';
import type { Person } from '../support/people/people';
import { countUndelivered } from '../support/stack/listener';
import { agentServices } from '../support/stack/stack';
import { untilAnswered } from '../support/stack/until-answered';
import { useStack } from '../support/stack/use-stack';

const stack = useStack({ services: agentServices, ownServers: true, timeoutMs: 5_000 });
const { people, graph, runtime } = stack;

const pairCount = 16;

/** A person who writes to a friend and to an agent of their own, one message after the other. */
interface Sender extends Person {
  readonly friend: Person;
  agentId: string;
  /** The ids of acknowledged messages, in order. */
  readonly toFriend: string[];
  readonly toAgent: string[];
}

let senders: Sender[];

beforeAll(async () => {
  const pairs = await Promise.all(Array.from({ length: pairCount }, () => people.newFriends()));
  senders = pairs.flatMap(([one, other]) => [newSender(one, other), newSender(other, one)]);
  await Promise.all(senders.map(postOnce));
});

function newSender(person: Person, friend: Person): Sender {
  return { ...person, friend, agentId: '', toFriend: [], toAgent: [] };
}

async function postOnce(sender: Sender): Promise<void> {
  const request = post('Hello');
  const answer = await untilAnswered(() => runtime.postMessage(request, sender.as));
  sender.agentId = answer.agentId;
  sender.toAgent.push(answer.messageId);
}

async function sendOnce({ as, friend, toFriend }: Sender): Promise<void> {
  const request = { requestId: createId(), nametag: friend.nametag, message: 'Hello' };
  const { messageId } = await untilAnswered(() => graph.sendFriendMessage(request, as));
  toFriend.push(messageId);
}

const countAcknowledged = (): number =>
  senders.reduce((sum, { toFriend, toAgent }) => sum + toFriend.length + toAgent.length, 0);

/** Everybody sends until `disturb` is done. */
async function sendThrough(disturb: () => Promise<void>): Promise<void> {
  let isOver = false;
  const talk = async (sender: Sender): Promise<void> => {
    while (!isOver) {
      await sendOnce(sender);
      await postOnce(sender);
    }
  };
  const disturbed = disturb().finally(() => (isOver = true));
  await Promise.all([disturbed, ...senders.map(talk)]);
}

async function whenMoreAcknowledged(): Promise<void> {
  const enough = countAcknowledged() + 4 * senders.length;
  await eventually(() => countAcknowledged() > enough, { timeoutMs: 30_000 });
}

/** The only member of the replica set refuses to be primary for a second, then elects itself again. */
async function stepDown(): Promise<void> {
  const command = { replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true };
  await stack.db('identity').admin().command(command);
}

async function readTerm(): Promise<number> {
  const { term } = await stack.db('identity').admin().command({ replSetGetStatus: 1 });
  return Number(term);
}

async function receivedBy({ as, agentId }: Sender): Promise<string[]> {
  const records = await historyOf(runtime, { as }, agentId);
  return records.flatMap(({ record }) =>
    record?.$case === 'userMessage' ? record.value.messageIds : [],
  );
}

it('everything acknowledged is delivered once and in order when MongoDB steps down under load', async () => {
  const termBefore = await readTerm();
  await sendThrough(async () => {
    for (let round = 0; round < 2; round += 1) {
      await whenMoreAcknowledged();
      await stepDown();
    }
    await whenMoreAcknowledged();
  });
  await eventually(async () => (await countUndelivered(stack)) === 0, { timeoutMs: 30_000 });
  await whenDrained(stack, 30_000);
  expect(await readTerm()).toBe(termBefore + 2);
  for (const sender of senders) {
    const received = await receivedBy(sender);
    const { toFriend } = senders.find(({ id }) => id === sender.friend.id)!;
    expect(received.filter((id) => toFriend.includes(id))).toEqual(toFriend);
    expect(received.filter((id) => sender.toAgent.includes(id))).toEqual(sender.toAgent);
  }
});
