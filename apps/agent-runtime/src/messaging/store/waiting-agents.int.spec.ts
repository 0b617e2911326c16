import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes } from '@daycare/mongo';
import { profileQueries, testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { inboxIndexes, toRow, type InboxRow } from './inbox-row';
import type { PlacedItem, Recipient } from '../domain/placed-item';
import { InboxStore } from './inbox-store';

const fixture = useFixture(async () => {
  const mongo = await testDatabase('waiting-agents');
  await ensureIndexes(mongo.db, [inboxIndexes]);
  return { mongo, inbox: new InboxStore(mongo.db), close: () => mongo.close() };
});

/** A user with agents in a shard. */
interface Home {
  readonly userId: string;
  readonly shard: number;
  readonly agentIds: readonly string[];
}
const newHome = (shard: number, agentCount = 1): Home => ({
  userId: createId(),
  shard,
  agentIds: Array.from({ length: agentCount }, createId),
});
let lastId = 0;
const newItem = ({ userId, shard, agentIds }: Home, kind: 'message' | 'stop' = 'message') => {
  const common = { userId, messageId: `m${(lastId += 1)}`, acceptedAt: new Date() };
  const item =
    kind === 'stop'
      ? { kind, ...common }
      : { kind, text: 'hello', files: [], replyTarget: '', ...common };
  const recipients = agentIds.map((id) => ({ id, shard, ownerUserId: undefined }));
  return { item, recipients } as PlacedItem<Recipient>;
};
const waitingIn = async (...shards: number[]): Promise<string[]> =>
  (await fixture.inbox.waitingAgents(shards)).map(({ id }) => id).sort();

describe('waiting agents', () => {
  it('polling finds exactly the agents in the given shards that have waiting items', async () => {
    const { inbox } = fixture;
    const [home, alone, elsewhere] = [newHome(1, 3), newHome(12), newHome(2)];
    const placed = newItem(home);
    await inbox.put([placed, newItem(alone), newItem(elsewhere)]);
    expect(await waitingIn(1)).toEqual([...home.agentIds].sort());
    expect(await waitingIn(12, 2)).toEqual([...alone.agentIds, ...elsewhere.agentIds].sort());
    const { userId, agentIds } = home;
    const settle = (id: string) =>
      inbox.settle({ id, userId }, [placed.item.messageId], new Date());
    await settle(agentIds[0]!);
    expect(await waitingIn(1)).toEqual(agentIds.slice(1).sort());
    await settle(agentIds[2]!);
    expect(await inbox.waitingAgents([1])).toEqual([
      { id: agentIds[1], shard: 1, hasControl: false },
    ]);
    await settle(agentIds[1]!);
    expect(await waitingIn(1)).toEqual([]);
  });

  it('polling reports an agent only once, however many items it has, and whether one of them is a stop', async () => {
    const home = newHome(5);
    await fixture.inbox.put([newItem(home), newItem(home, 'stop'), newItem(home)]);
    expect(await fixture.inbox.waitingAgents([5])).toEqual([
      { id: home.agentIds[0], shard: 5, hasControl: true },
    ]);
  });

  it('with 20,000 waiting items, polling reads fewer than 40 index keys, and the backlog metric at most 10,000 per query', async () => {
    const { inbox, mongo } = fixture;
    const homes = Array.from({ length: 8 }, (_, index) =>
      newHome(20 + (index % 4), 1 + (index % 2)),
    );
    const items = Array.from({ length: 20_000 }, (_, index) => newItem(homes[index % 8]!));
    await mongo.db.collection<InboxRow>('inbox').insertMany(items.map(toRow), { ordered: false });
    const polls = await profileQueries(mongo.db, /\.inbox$/, async () => {
      expect(await waitingIn(20, 21, 22, 23)).toEqual(
        homes.flatMap((home) => home.agentIds).sort(),
      );
    });
    expect(polls).toHaveLength(1);
    expect(polls[0]).toMatchObject({ planSummary: expect.stringMatching(/^DISTINCT_SCAN/) });
    expect(polls[0]).toMatchObject({ docsExamined: 0 });
    expect(polls[0]?.['keysExamined']).toBeLessThan(40);
    const backlogs = await profileQueries(mongo.db, /\.inbox$/, async () => {
      const { items, oldestAt } = await inbox.backlog();
      expect(items).toBe(10_000);
      expect(Date.now() - oldestAt!.getTime()).toBeLessThan(120_000);
    });
    expect(backlogs).toHaveLength(2);
    for (const { docsExamined, keysExamined } of backlogs) {
      expect(docsExamined).toBe(0);
      expect(keysExamined).toBeLessThanOrEqual(10_000);
    }
  }, 120_000);

  it('the backlog reports when its oldest item was stored, whichever agents the newer items wait for', async () => {
    const { inbox, mongo } = fixture;
    await mongo.db.collection('inbox').drop();
    await ensureIndexes(mongo.db, [inboxIndexes]);
    expect(await inbox.backlog()).toEqual({ items: 0, oldestAt: undefined });
    const [first, second] = [newHome(9), newHome(8)];
    await inbox.put([newItem(first)]);
    const began = (await inbox.backlog()).oldestAt;
    await inbox.put([newItem(second), newItem(first)]);
    expect(await inbox.backlog()).toEqual({ items: 3, oldestAt: began });
  });
});
