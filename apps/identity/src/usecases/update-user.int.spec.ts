import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { subuserLimits } from '../domain/subuser-limits';
import { reservationIndexes } from '../store/reservation-store';
import { userIndexes } from '../store/user-document';
import { UserStore } from '../store/user-store';
import { makeCreateSubuser } from './create-subuser';
import { makeCreateUser } from './create-user';
import { makeInsertUser } from './insert-user';
import { makeUpdateUser } from './update-user';

let mongo: MongoConnection;
let users: UserStore;
beforeAll(async () => {
  mongo = await testDatabase('identity');
  await ensureIndexes(mongo.db, [userIndexes, ...reservationIndexes]);
  users = new UserStore(mongo.db, subuserLimits(8));
});
afterAll(() => mongo.close());

const insertUser = () => {
  const draw = (below: number): number => Math.floor(Math.random() * below);
  return makeInsertUser({ users, newId: createId, now: () => new Date(), draw });
};
const newUser = () => {
  const request = { createdBy: 'admin', requestId: createId(), name: 'Ada' };
  return makeCreateUser({ insertUser: insertUser() })(request);
};
const update = (userId: string, timeZone?: string, requestId = createId()) =>
  makeUpdateUser({ users })({ userId, requestId, timeZone });

it('a user has no time zone until one is set, and can remove it again', async () => {
  const { id, timeZone } = await newUser();
  expect(timeZone).toBe('');
  expect(await update(id, 'Europe/Berlin')).toMatchObject({ id, timeZone: 'Europe/Berlin' });
  expect(await update(id)).toMatchObject({ timeZone: 'Europe/Berlin' });
  expect(await update(id, '')).toMatchObject({ timeZone: '' });
});

it('updateUser changes a person’s name, but not a subuser’s', async () => {
  const { id, nametag } = await newUser();
  const rename = (userId: string, name: string) =>
    makeUpdateUser({ users })({ userId, requestId: createId(), name });
  expect(await rename(id, '  Ada L. ')).toMatchObject({ id, nametag, name: 'Ada L.' });
  expect(await update(id, 'UTC')).toMatchObject({ name: 'Ada L.', timeZone: 'UTC' });
  for (const name of ['', 'two\nlines', 'x'.repeat(101)])
    await expect(rename(id, name)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  const subuser = { ownerId: id, requestId: createId(), name: 'Helper', description: '' };
  const { id: subuserId } = await makeCreateSubuser({ insertUser: insertUser() })(subuser);
  await expect(rename(subuserId, 'Other')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

it('a late retry of updateUser does not undo a later change', async () => {
  const { id } = await newUser();
  const first = createId();
  await update(id, 'Asia/Tokyo', first);
  await update(id, 'UTC');
  expect(await update(id, 'Asia/Tokyo', first)).toMatchObject({ timeZone: 'UTC' });
});

it('updateUser refuses invalid time zones and unknown users', async () => {
  const { id } = await newUser();
  await expect(update(id, 'Mars/Olympus')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await expect(update(createId(), 'UTC')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
