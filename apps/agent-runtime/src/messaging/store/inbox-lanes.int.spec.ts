import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { textOf, type AcceptedItem } from '../domain/inbox-item';
import { inboxIndexes, type ItemContent, type PlacedItem } from './inbox-row';
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
const household = (): Household => {
  const userId = createId();
  return { userId, agents: [{ id: createId(), userId }] };
};
/** A friend's message. */
const placed = (home: Household, text: string): PlacedItem => {
  const sent = { origin: 'friend:otter7', silent: false, hops: 0 };
  return byPerson(home, { kind: 'system_message', text, ...sent });
};

/** An item for the agent of a household. */
function byPerson({ userId, agents }: Household, item: ItemContent): PlacedItem {
  const accepted = { userId, acceptedAt: now, messageId: createId(), ...item } as AcceptedItem;
  const recipients = { leadId: agents[0].id, listenerIds: [], shard: 3, ownerUserId: undefined };
  return { item: accepted, recipients };
}
const said = (text: string) => ({ kind: 'message' as const, text, files: [], replyTarget: '' });

describe('the lanes of an inbox', () => {
  it('a person’s items precede all others, and each lane keeps the order in which its items were stored', async () => {
    const home = household();
    const { inbox } = fixture;
    const [agent] = home.agents;
    await inbox.put([placed(home, 'f1'), placed(home, 'f2')]);
    await inbox.put([byPerson(home, said('p1')), placed(home, 'f3')]);
    const reset = { kind: 'reset', message: 'r' } as const;
    await inbox.put([byPerson(home, { ...reset, byAgent: true })]);
    await inbox.put([byPerson(home, reset), byPerson(home, said('p2'))]);
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

  it('finds the stops and resets of a person, oldest first, and says which agents have any', async () => {
    const [home, other] = [household(), household()];
    const { inbox } = fixture;
    const [agent] = home.agents;
    await inbox.put([placed(other, 'f'), placed(home, 'f'), byPerson(home, said('p'))]);
    await inbox.put([
      byPerson(home, { kind: 'stop' }),
      byPerson(home, { kind: 'reset', message: '' }),
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
