import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { textOf, type AcceptedItem } from '../domain/inbox-item';
import { inboxIndexes, type ItemContent } from './inbox-row';
import type { PlacedItem, Recipient } from '../domain/placed-item';
import { InboxStore } from './inbox-store';

const now = new Date('2026-01-01T12:00:00Z');
const fixture = useFixture(async () => {
  const mongo = await testDatabase('inbox-lanes');
  await ensureIndexes(mongo.db, [inboxIndexes]);
  return { inbox: new InboxStore(mongo.db), close: () => mongo.close() };
});

interface Household {
  readonly userId: string;
  readonly agents: readonly [{ readonly id: string; readonly userId: string }];
}
const newHousehold = (): Household => {
  const userId = createId();
  return { userId, agents: [{ id: createId(), userId }] };
};
/** A friend's message. */
const fromFriend = (home: Household, text: string): PlacedItem<Recipient> => {
  const sent = { origin: 'friend:otter7', silent: false, hops: 0 };
  return placedItem(home, { kind: 'system_message', text, ...sent });
};

function placedItem({ userId, agents }: Household, item: ItemContent): PlacedItem<Recipient> {
  const accepted = { userId, acceptedAt: now, messageId: createId(), ...item } as AcceptedItem;
  const recipients = agents.map(({ id }) => ({ id, shard: 3, ownerUserId: undefined }));
  return { item: accepted, recipients };
}
const personMessage = (text: string) => ({
  kind: 'message' as const,
  text,
  files: [],
  replyTarget: '',
});

describe('the lanes of an inbox', () => {
  it('a person’s items precede all others, and each lane keeps the order its items were stored in', async () => {
    const home = newHousehold();
    const { inbox } = fixture;
    const [agent] = home.agents;
    await inbox.put([fromFriend(home, 'f1'), fromFriend(home, 'f2')]);
    await inbox.put([placedItem(home, personMessage('p1')), fromFriend(home, 'f3')]);
    const reset = { kind: 'reset', message: 'r' } as const;
    await inbox.put([placedItem(home, { ...reset, byAgent: true })]);
    await inbox.put([placedItem(home, reset), placedItem(home, personMessage('p2'))]);
    expect((await inbox.next(agent, 10)).map((item) => textOf(item))).toEqual([
      'p1',
      'r',
      'p2',
      'f1',
      'f2',
      'f3',
      'r',
    ]);
    expect((await inbox.next(agent, 2)).map((item) => textOf(item))).toEqual(['p1', 'r']);
  });

  it('a person’s stops and resets are found oldest first, and polling reports which agents have any', async () => {
    const [home, other] = [newHousehold(), newHousehold()];
    const { inbox } = fixture;
    const [agent] = home.agents;
    await inbox.put([
      fromFriend(other, 'f'),
      fromFriend(home, 'f'),
      placedItem(home, personMessage('p')),
    ]);
    await inbox.put([
      placedItem(home, { kind: 'stop' }),
      placedItem(home, { kind: 'reset', message: '' }),
    ]);
    const controls = await inbox.findControls(agent);
    expect(controls.map(({ kind }) => kind)).toEqual(['stop', 'reset']);
    const waiting = await inbox.waitingAgents([3]);
    const hasControl = (id: string) => waiting.find((each) => each.id === id)?.hasControl;
    expect([hasControl(agent.id), hasControl(other.agents[0].id)]).toEqual([true, false]);
    await inbox.settle(
      agent,
      controls.map(({ messageId }) => messageId),
      now,
    );
    expect(await inbox.findControls(agent)).toEqual([]);
  });
});
