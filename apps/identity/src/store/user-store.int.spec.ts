import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import type { User } from '../domain/user';
import { userIndexes, UserStore } from './user-store';

let mongo: MongoConnection;
let users: UserStore;
beforeAll(async () => {
  mongo = await testDatabase('identity');
  await ensureIndexes(mongo.db, [userIndexes]);
  users = new UserStore(mongo.db);
});
afterAll(() => mongo.close());

const user = (id: string, nametag: string): User => ({
  id,
  nametag,
  name: 'Ada',
  parentUserId: undefined,
  description: '',
  createdAt: new Date('2026-11-16T10:00:00Z'),
});
const request = (id: string) => ({ scope: 'admin', id, fingerprint: 'Ada' });

describe('UserStore', () => {
  it('finds what it stored by id, nametag and request', async () => {
    const ada = user('ada', 'swiftfox42');
    await expect(users.insert(ada, 'admin', request('r-ada'))).resolves.toBe('inserted');
    await expect(users.findById('ada')).resolves.toEqual(ada);
    await expect(users.findByIds(['nobody', 'ada'])).resolves.toEqual([ada]);
    await expect(users.findByNametag('swiftfox42')).resolves.toEqual(ada);
    await expect(users.findByRequest(request('r-ada'))).resolves.toEqual({
      user: ada,
      request: request('r-ada'),
    });
  });

  it('says who lost: the nametag or the request', async () => {
    await users.insert(user('bob', 'calmowl7'), 'admin', request('r-bob'));
    await expect(users.insert(user('eve', 'calmowl7'), 'admin', request('r-eve'))).resolves.toBe(
      'nametag-taken',
    );
    await expect(users.insert(user('eve', 'calmowl8'), 'admin', request('r-bob'))).resolves.toBe(
      'request-known',
    );
    await expect(users.findById('eve')).resolves.toBeUndefined();
  });

  it.each([
    ['by id', { _id: 'ada' }],
    ['by ids', { _id: { $in: ['ada', 'bob'] } }],
    ['by nametag', { nametag: 'swiftfox42' }],
    ['by request', { 'request.scope': 'admin', 'request.id': 'r-ada' }],
    ['by owner', { parentUserId: 'ada' }],
  ])('looks up %s through an index', async (_, filter) => {
    const plan = await mongo.db
      .collection<{ _id: string }>('users')
      .find(filter)
      .explain('queryPlanner');
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
    expect(JSON.stringify(plan)).toMatch(/IXSCAN|IDHACK|EXPRESS_IXSCAN|EXPRESS_CLUSTERED_IXSCAN/);
  });
});
