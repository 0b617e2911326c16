import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { startTestWiring, type TestWiring } from '../test-support/test-wiring';

let on: TestWiring;
beforeAll(async () => {
  on = await startTestWiring();
});
afterAll(() => on.mongo.close());

async function fill(userId: string, subscriptions: number, channels: number): Promise<void> {
  const { db } = on.mongo;
  const createdAt = new Date();
  const base = { userId, createdAt, requests: [] };
  await db.collection('subscriptions').insertMany(
    Array.from({ length: subscriptions }, (_, n) => {
      const content = { agentId: createId(), pattern: `p${n}`, silent: true };
      return { ...base, ...content, _id: createId() as never, isActive: true };
    }),
  );
  await db.collection('channels').insertMany(
    Array.from({ length: channels }, (_, n) => {
      const content = { name: `c${n}`, leaderAgentId: 'a', members: [], version: 1 };
      return { ...base, ...content, _id: createId() as never, isGone: false };
    }),
  );
}

it('lists how several users are wired, in parts that neither repeat nor skip, and nobody else', async () => {
  const [owner, subuser, stranger] = [createId(), createId(), createId()];
  await fill(owner, 900, 2);
  await fill(subuser, 1_300, 3);
  await fill(stranger, 1, 1);
  const userIds = [owner, subuser];
  const seen = { subscriptions: new Set<string>(), channels: new Set<string>() };
  const lengths: number[][] = [];
  let pageToken = '';
  do {
    const { subscriptions, channels, nextPageToken } = await on.listWiring({ userIds, pageToken });
    expect([subscriptions.count, channels.count]).toEqual([2_200, 5]);
    lengths.push([subscriptions.entries.length, channels.entries.length]);
    subscriptions.entries.forEach(({ id }) => seen.subscriptions.add(id));
    channels.entries.forEach(({ id }) => seen.channels.add(id));
    pageToken = nextPageToken;
  } while (pageToken !== '');
  expect(lengths).toEqual([
    [1_000, 5],
    [1_000, 0],
    [200, 0],
  ]);
  expect([seen.subscriptions.size, seen.channels.size]).toEqual([2_200, 5]);
});

it('refuses a place that was not given out', async () => {
  const wish = { userIds: [createId()], pageToken: 'nonsense' };
  await expect(on.listWiring(wish)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
