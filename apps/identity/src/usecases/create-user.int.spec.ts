import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { nametagTries } from '../domain/nametag';
import { openTestUsers } from '../test-support/test-users';
import { makeCreateUser } from './create-user';
import { makeInsertUser } from './insert-user';

const fixture = useFixture(openTestUsers);

const countUsers = () => fixture.mongo.db.collection('users').countDocuments();
const creator = (draw: (below: number) => number) =>
  makeCreateUser({
    insertUser: makeInsertUser({
      users: fixture.users,
      newId: createId,
      now: () => new Date(),
      draw,
    }),
  });

describe('createUser', () => {
  it('returns the same user to retries and concurrent attempts of one request', async () => {
    const createUser = creator((below) => Math.floor(Math.random() * below));
    const command = { createdBy: 'admin', requestId: 'same', name: 'Ada' };
    const made = await Promise.all(Array.from({ length: 20 }, () => createUser(command)));
    const retried = await createUser(command);
    expect(new Set([...made, retried].map(({ id }) => id)).size).toBe(1);
  });

  it('rejects a request id reused for a different user', async () => {
    const createUser = creator((below) => Math.floor(Math.random() * below));
    await createUser({ createdBy: 'admin', requestId: 'used', name: 'Ada' });
    const again = createUser({ createdBy: 'admin', requestId: 'used', name: 'Bob' });
    await expect(again).rejects.toMatchObject({ code: 'REQUEST_ID_REUSED' });
  });

  it('creates different users for two callers that use the same request id', async () => {
    const createUser = creator((below) => Math.floor(Math.random() * below));
    const ada = await createUser({ createdBy: 'client:web', requestId: 'mine', name: 'Ada' });
    const bob = await createUser({ createdBy: 'client:app', requestId: 'mine', name: 'Bob' });
    expect(ada.id).not.toBe(bob.id);
  });

  it('draws again while the drawn nametag is taken, and fails with UNAVAILABLE if every draw is taken', async () => {
    const createUser = creator(() => 1);
    const first = await createUser({ createdBy: 'admin', requestId: 'draw-1', name: 'Ada' });
    // Every draw is 1, so the second user collides with the first, however many digits are drawn.
    const before = await countUsers();
    const second = createUser({ createdBy: 'admin', requestId: 'draw-2', name: 'Bob' });
    await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await countUsers()).toBe(before);
    let draws = 0;
    const createOnLastTry = creator(() => (++draws > 3 * (nametagTries - 1) ? 2 : 1));
    const third = await createOnLastTry({ createdBy: 'admin', requestId: 'draw-3', name: 'Cyd' });
    expect(third.nametag).not.toBe(first.nametag);
  });

  it.each([
    ['an empty name', { createdBy: 'admin', requestId: 'bad', name: '' }, 'name'],
    ['a blank name', { createdBy: 'admin', requestId: 'bad', name: '   ' }, 'name'],
    ['a name of 10 kB', { createdBy: 'admin', requestId: 'bad', name: 'x'.repeat(10_240) }, 'name'],
    [
      'a name with a line break',
      { createdBy: 'admin', requestId: 'bad', name: 'Ada\nadmin' },
      'name',
    ],
    ['an empty request id', { createdBy: 'admin', requestId: '', name: 'Ada' }, 'request_id'],
    [
      'a request id with spaces',
      { createdBy: 'admin', requestId: 'a b', name: 'Ada' },
      'request_id',
    ],
  ])('refuses %s and stores nothing', async (_, command, field) => {
    const before = await countUsers();
    const createUser = creator(() => 0);
    await expect(createUser(command)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [expect.objectContaining({ field })] },
    });
    expect(await countUsers()).toBe(before);
  });
});
