import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import type { Document } from 'mongodb';
import { endpointIndexes, EndpointStore } from './endpoint-store';

let mongo: MongoConnection;
let endpoints: EndpointStore;

beforeAll(async () => {
  mongo = await testDatabase('endpoints');
  await ensureIndexes(mongo.db, [endpointIndexes]);
  endpoints = new EndpointStore(mongo.db);
});
afterAll(() => mongo.close());

const now = new Date();

async function insert(userId: string, index: number) {
  const id = `${userId}e${index}`;
  const target = { kind: 'port', port: 8_000 + index } as const;
  const spec = { name: id, target, mode: 'public', auth: 'password' } as const;
  const inserted = await endpoints.insert(
    { id, userId, ownerUserId: userId, createdAt: now, ...spec },
    { passwordHash: 'hash' },
    {
      id: `r${index}`,
      fingerprint: id,
    },
  );
  if (inserted.outcome !== 'inserted') throw new Error(inserted.outcome);
  return { ...inserted.endpoint, credential: undefined };
}

/** Makes the store run each of its kinds of queries at least once. */
async function runEveryQuery(): Promise<void> {
  const endpoint = await insert('u1', 99);
  const after = { userId: 'u1', createdAt: now, id: 'u1e1' };
  await endpoints.find('u1', endpoint.id);
  await endpoints.change(endpoint, endpoint, { id: 'c1', fingerprint: '' }, now);
  await endpoints.list('u1', after, 2);
  await endpoints.listScope({ userIds: ['u1', 'u2'], after, limit: 2 });
  await endpoints.findServed(endpoint.id);
  await endpoints.versionsOf([endpoint.id]);
  await endpoints.isPassword('hash');
  await endpoints.deleteByAgent('u1', 'agent1', now);
  await endpoints.delete('u1', endpoint.id, 'd1', now);
  await endpoints.delete('u1', endpoint.id, 'd1', now);
  await endpoints.deleteByUser('u1');
}

it('every endpoint query uses an index to filter and sort', async () => {
  for (const userId of ['u1', 'u2', 'u3'])
    for (let index = 0; index < 10; index++) await insert(userId, index);
  await mongo.db.command({ profile: 2 });
  await runEveryQuery();
  await mongo.db.command({ profile: 0 });
  const profiled: Document[] = await mongo.db
    .collection('system.profile')
    .find({ ns: /\.endpoints$/, planSummary: { $exists: true } })
    .toArray();
  expect(profiled.length).toBeGreaterThan(10);
  const withoutIndex = profiled.filter(
    ({ planSummary, hasSortStage }) =>
      hasSortStage === true || !/(IXSCAN|IDHACK|EXPRESS_|COUNT_SCAN)/.test(String(planSummary)),
  );
  expect(withoutIndex.map(({ planSummary, command }) => [planSummary, command])).toEqual([]);
});

it('the store recognises a retried deletion of an endpoint, but no longer finds the deleted endpoint otherwise', async () => {
  const { id } = await insert('u9', 1);
  expect(await endpoints.findServed(id)).toMatchObject({ userId: 'u9', passwordHash: 'hash' });
  expect(await endpoints.delete('u8', id, 'd1', now)).toBe(false);
  expect(await endpoints.delete('u9', id, 'd1', now)).toBe(true);
  expect(await endpoints.delete('u9', id, 'd1', now)).toBe(true);
  expect(await endpoints.delete('u9', id, 'd2', now)).toBe(false);
  expect(await endpoints.findServed(id)).toBeUndefined();
  expect(await endpoints.find('u9', id)).toBeUndefined();
  expect((await endpoints.versionsOf([id])).size).toBe(0);
  expect(await endpoints.listScope({ userIds: ['u9'], after: undefined, limit: 1 })).toEqual([]);
});
