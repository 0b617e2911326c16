import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import type { User } from '../domain/user';
import { openTestUsers } from '../test-support/test-users';

const fixture = useFixture(openTestUsers);

const user = (id: string, nametag: string): User => ({
  id,
  nametag,
  name: 'Ada',
  parentUserId: undefined,
  description: '',
  timeZone: '',
  createdAt: new Date('2026-11-16T10:00:00Z'),
});
const request = (id: string) => ({ scope: 'admin', id, fingerprint: 'Ada' });

describe('UserStore', () => {
  it('finds a stored user by id, by nametag and by the request that created the user', async () => {
    const ada = user('ada', 'swiftfox42');
    await expect(fixture.users.insert(ada, 'admin', request('r-ada'))).resolves.toBe('inserted');
    await expect(fixture.users.findById('ada')).resolves.toEqual(ada);
    await expect(fixture.users.findByIds(['unknown', 'ada'])).resolves.toEqual([ada]);
    await expect(fixture.users.findByNametag('swiftfox42')).resolves.toEqual(ada);
    await expect(fixture.users.findByRequest(request('r-ada'))).resolves.toEqual({
      user: ada,
      request: request('r-ada'),
    });
  });

  it('reports that a nametag or a request id is already taken, and stores no user', async () => {
    await fixture.users.insert(user('bob', 'calmowl7'), 'admin', request('r-bob'));
    await expect(
      fixture.users.insert(user('eve', 'calmowl7'), 'admin', request('r-eve')),
    ).resolves.toBe('nametag-taken');
    await expect(
      fixture.users.insert(user('eve', 'calmowl8'), 'admin', request('r-bob')),
    ).resolves.toBe('request-known');
    await expect(fixture.users.findById('eve')).resolves.toBeUndefined();
  });

  it.each([
    ['by id', { _id: 'ada' }],
    ['by ids', { _id: { $in: ['ada', 'bob'] } }],
    ['by owner', { parentUserId: 'ada' }],
  ])('looks users up %s through an index', async (_, filter) => {
    const plan = await fixture.mongo.db
      .collection<{ _id: string }>('users')
      .find(filter)
      .explain('queryPlanner');
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
    expect(JSON.stringify(plan)).toMatch(/IXSCAN|IDHACK|EXPRESS_IXSCAN|EXPRESS_CLUSTERED_IXSCAN/);
  });
});
