import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppError } from '@daycare/errors';
import { openTestCalls, type TestCalls } from '../test-support/test-calls';

let calls: TestCalls;
beforeAll(async () => {
  calls = await openTestCalls();
});
afterAll(() => calls.mongo.close());

const tiesOf = (userId: string) =>
  calls.mongo.db.collection('ties').countDocuments({ $or: [{ low: userId }, { high: userId }] });

describe('a user that is gone', () => {
  it('leaves no tie, also when calls about it were under way', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [ada, bob] = [calls.people.add(), calls.people.add()];
      const ask = calls.call('addFriend', bob, ada.nametag).catch((error: unknown) => error);
      const [answer] = await Promise.all([ask, calls.forgetUser(ada.userId)]);
      // A call that failed half-way, as a loaded machine may have it, is left to the next sweep.
      const isDone = !(answer instanceof Error) || (answer as AppError).code === 'NOT_FOUND';
      if (!isDone) await calls.sweepGoneUsers();
      expect(await tiesOf(ada.userId)).toBe(0);
    }
  });

  it('is swept again after a process that died between saving a tie and finding out', async () => {
    const [ada, bob] = [calls.people.add(), calls.people.add()];
    await calls.call('addFriend', bob, ada.nametag);
    const [tie] = await calls.ties.findSomeOf(ada.userId, 1);
    await calls.forgetUser(ada.userId);
    await calls.ties.save({ ...tie!, version: 0 });
    expect(await tiesOf(ada.userId)).toBe(1);
    await calls.sweepGoneUsers();
    expect(await tiesOf(ada.userId)).toBe(0);
  });

  it('is NOT_FOUND to a call that still knows its nametag', async () => {
    const [ada, bob] = [calls.people.add(), calls.people.add()];
    await calls.forgetUser(ada.userId);
    await expect(calls.call('addFriend', bob, ada.nametag)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'Nametag not found',
    });
    expect(await tiesOf(ada.userId)).toBe(0);
  });
});
