import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { profileQueries } from '@daycare/testing';
import type { ChannelListing, ChannelStore } from '../../store/channel-store';
import { testEndpoint } from '../../test-support/test-facts';
import { makeListWiring } from './list-wiring';
import { useTestWiring } from '../../test-support/test-wiring';

const wiring = useTestWiring();

async function fill(userId: string, subscriptions: number, channels: number): Promise<void> {
  const { db } = wiring.mongo;
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
      const content = { name: `c${n}${createId()}`, leaderAgentId: 'a', members: [], version: 1 };
      return { ...base, ...content, _id: createId() as never, isDeleted: false };
    }),
  );
}

it('the wiring of exactly the given users is listed, in pages that neither repeat nor skip an entry', async () => {
  const [owner, subuser, stranger] = [createId(), createId(), createId()];
  await fill(owner, 900, 2);
  await fill(subuser, 1_300, 3);
  await fill(stranger, 1, 1);
  const userIds = [owner, subuser];
  const seen = { subscriptions: new Set<string>(), channels: new Set<string>() };
  const lengths: number[][] = [];
  let pageToken = '';
  do {
    const { subscriptions, channels, nextPageToken } = await wiring.listWiring({
      userIds,
      pageToken,
    });
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

it('a request for the wiring with an invalid page token is refused', async () => {
  const request = { userIds: [createId()], pageToken: 'nonsense' };
  await expect(wiring.listWiring(request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

it('the known wiring is returned until a subscription, channel or endpoint is added', async () => {
  const userId = createId();
  await fill(userId, 2, 1);
  const request = { userIds: [userId], pageToken: '' };
  const known = await wiring.listWiring(request);
  const queries = await profileQueries(wiring.mongo.db, /./, async () => {
    expect(await wiring.listWiring({ ...request, known })).toBe(known);
  });
  expect(queries).toHaveLength(1);
  await fill(userId, 1, 1);
  const next = await wiring.listWiring({ ...request, known });
  expect([next.subscriptions.count, next.channels.count]).toEqual([3, 2]);
  const creation = { id: createId(), fingerprint: '' };
  await wiring.stores.endpoints.insert(endpointOf(userId), undefined, creation);
  const last = await wiring.listWiring({ ...request, known: next });
  expect(last.endpoints.count).toBe(1);
});

it('a change made while the wiring is being read is in the next result', async () => {
  const userId = createId();
  await fill(userId, 1, 1);
  const { channels } = wiring.stores;
  const listWiring = makeListWiring({
    ...wiring.stores,
    channels: {
      listScope: async (listing: ChannelListing) => {
        const listed = await channels.listScope(listing);
        await fill(userId, 1, 1);
        return listed;
      },
    } as ChannelStore,
  });
  const known = await listWiring({ userIds: [userId], pageToken: '' });
  expect(known.channels.entries).toHaveLength(1);
  const next = await wiring.listWiring({ userIds: [userId], pageToken: '', known });
  expect(next.channels.entries).toHaveLength(2);
});

function endpointOf(userId: string) {
  const { version: _version, updatedAt: _updatedAt, ...endpoint } = testEndpoint({ userId });
  return endpoint;
}
