import { expect, it, jest } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { openTestUsers } from '../test-support/test-users';
import { backfillReservations } from './backfill-reservations';

const fixture = useFixture(openTestUsers);

it('backfillReservations reserves the nametags and request ids of users stored before reservations existed', async () => {
  const { db } = fixture.mongo;
  const users = db.collection<{ _id: string; [field: string]: unknown }>('users');
  const request = { scope: 'admin', id: 'r-ada', fingerprint: 'Ada' };
  const ada = { nametag: 'swiftfox42', name: 'Ada', createdAt: new Date(), createdBy: 'admin' };
  await users.insertMany([
    { _id: 'ada', ...ada, request },
    { _id: 'bob', nametag: 'calmowl7', deletedAt: new Date() },
  ]);
  await users.createIndexes([{ name: 'nametag', key: { nametag: 1 }, unique: true }]);
  for (const _ of ['first', 'repeated']) await backfillReservations(db);
  await expect(fixture.users.findByNametag('swiftfox42')).resolves.toMatchObject({ id: 'ada' });
  await expect(fixture.users.findByRequest(request)).resolves.toMatchObject({ request });
  const next = { ...ada, parentUserId: undefined, description: '', timeZone: '', id: 'eve' };
  const insert = (nametag: string, id: string) =>
    fixture.users.insert({ ...next, nametag }, 'admin', { ...request, id });
  await expect(insert('calmowl7', 'r-eve')).resolves.toBe('nametag-taken');
  await expect(insert('calmowl8', 'r-ada')).resolves.toBe('request-known');
  expect((await users.indexes()).map(({ name }) => name)).not.toContain('nametag');
});

it('backfillReservations succeeds on two replicas that start at the same time', async () => {
  const { db } = fixture.mongo;
  const users = db.collection('users');
  await users.createIndexes([{ name: 'nametag', key: { nametag: 1 }, unique: true }]);
  const [olderIndexes, secondReplica] = [await users.indexes(), db.collection('users')];
  jest.spyOn(secondReplica, 'indexes').mockResolvedValueOnce(olderIndexes);
  jest.spyOn(db, 'collection').mockReturnValueOnce(users).mockReturnValueOnce(secondReplica);
  await backfillReservations(db);
  await expect(backfillReservations(db)).resolves.toBeUndefined();
});
