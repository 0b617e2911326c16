import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { MessageStatus } from '@daycare/contracts/social-graph';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { agentServices, startStack } from '../support/stack/stack';

const stack = useFixture(() =>
  startStack({ services: agentServices, ownServers: true, timeoutMs: 20_000 }),
);
const { people, graph, runtime, agents } = stack;

async function send(
  from: Person,
  { nametag }: Person,
  messages: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const message of messages)
    ids.push(
      (await graph.sendFriendMessage({ requestId: createId(), nametag, message }, from.as))
        .messageId,
    );
  return ids;
}

const oldMessages = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `old ${n}`);

/** Resolves once the sender sees that none of these messages will be handled. */
async function whenNoLongerAllowed({ as }: Person, ids: readonly string[]): Promise<void> {
  for (const messageId of ids)
    await eventually(
      async () => {
        const { status, deadReason } = await graph.getMessageStatus({ messageId }, as);
        return status === MessageStatus.DEAD && deadReason === 'no longer allowed';
      },
      { timeoutMs: 30_000 },
    );
}

/** Returns the messages that the agent has received from friends, in order, even if they were merged. */
async function receivedBy(person: Person, { id }: Actor): Promise<string[]> {
  const lines = (await historyOf(runtime, person, id)).map(summaryOf);
  return (
    lines
      .filter((line) => line.startsWith('friend:'))
      .join('\n')
      .match(/\b(old|new) \d+/g) ?? []
  );
}

/**
 * Befriends again and sends two messages. When both have arrived, resolves with everything that the agent has received;
 * older messages would arrive before them.
 */
async function receivedInNewFriendship(
  friend: Person,
  to: Person,
  agent: Actor,
): Promise<string[]> {
  await people.befriend(friend, to);
  await send(friend, to, ['new 1', 'new 2']);
  return eventually(
    async () => {
      const received = await receivedBy(to, agent);
      return received.at(-1) === 'new 2' ? received : undefined;
    },
    { timeoutMs: 30_000 },
  );
}

it('a block while NATS is down discards waiting messages, which do not arrive in a new friendship either', async () => {
  const [ada, bob] = await people.newFriends();
  const agent = await agents.foreground(bob);
  await stack.nats!.kill();
  const ids = await send(ada, bob, oldMessages(50));
  await graph.blockUser({ requestId: createId(), nametag: ada.nametag }, bob.as);
  await whenNoLongerAllowed(ada, ids);
  await stack.nats!.restart();
  await graph.unblockUser({ requestId: createId(), nametag: ada.nametag }, bob.as);
  expect(await receivedInNewFriendship(ada, bob, agent)).toEqual(['new 1', 'new 2']);
  await whenNoLongerAllowed(ada, ids);
});

it('messages that waited while agent-runtime was down are not handled if their tie ended in the meantime', async () => {
  const [ada, bob] = await people.newFriends();
  const agent = await agents.foreground(bob);
  await stack.service('agent-runtime').kill();
  const ids = await send(ada, bob, oldMessages(100));
  await graph.removeFriend({ requestId: createId(), nametag: ada.nametag }, bob.as);
  await stack.service('agent-runtime').restart();
  await whenNoLongerAllowed(ada, ids);
  expect(await receivedInNewFriendship(ada, bob, agent)).toEqual(['new 1', 'new 2']);
  await whenNoLongerAllowed(ada, ids);
});

it('services that start while NATS is down accept messages, and deliver them when NATS is back', async () => {
  const [ada, bob] = await people.newFriends();
  const agent = await agents.foreground(bob);
  await stack.nats!.kill();
  await Promise.all(agentServices.map((name) => stack.service(name).restart()));
  const { httpAddress } = stack.service('social-graph').current;
  const readiness = await fetch(`http://${httpAddress}/readyz`);
  expect([readiness.status, await readiness.text()]).toEqual([
    200,
    'ok\nNATS is unreachable: messages are accepted and queued\n',
  ]);
  await send(ada, bob, ['old 1', 'old 2']);
  const carol = await people.newPerson();
  await people.befriend(carol, bob);
  await stack.nats!.restart();
  await eventually(async () => (await receivedBy(bob, agent)).at(-1) === 'old 2', {
    timeoutMs: 30_000,
  });
  expect(await receivedBy(bob, agent)).toEqual(['old 1', 'old 2']);
});
