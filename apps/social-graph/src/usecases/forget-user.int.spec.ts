import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppError } from '@daycare/api';
import { openTestCalls, type TestCalls } from '../test-support/test-calls';

let calls: TestCalls;
beforeAll(async () => {
  calls = await openTestCalls();
});
afterAll(() => calls.mongo.close());

const tiesOf = (userId: string) =>
  calls.mongo.db.collection('ties').countDocuments({ $or: [{ low: userId }, { high: userId }] });

describe('forgetUser', () => {
  it('a deleted user has no ties left, even if other calls run concurrently', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [ada, bob] = [calls.people.add(), calls.people.add()];
      const ask = calls.call('addFriend', bob, ada.nametag).catch((error: unknown) => error);
      const [answer] = await Promise.all([ask, calls.forgetUser(ada.userId)]);
      // A call that failed half-way, as can happen on a loaded machine, is left to the next sweep.
      const isDone = !(answer instanceof Error) || (answer as AppError).code === 'NOT_FOUND';
      if (!isDone) await calls.sweepDeletedUsers();
      expect(await tiesOf(ada.userId)).toBe(0);
    }
  });

  it('the sweep removes a tie that a crashed call saved after the deletion', async () => {
    const [ada, bob] = [calls.people.add(), calls.people.add()];
    await calls.call('addFriend', bob, ada.nametag);
    const [tie] = await calls.ties.findByMember(ada.userId, 1);
    await calls.forgetUser(ada.userId);
    const { version } = (await calls.ties.find(tie!.pair.id))!;
    await calls.ties.save({ ...tie!, version });
    expect(await tiesOf(ada.userId)).toBe(1);
    await calls.sweepDeletedUsers();
    expect(await tiesOf(ada.userId)).toBe(0);
  });

  it('a call that names a deleted user fails with NOT_FOUND', async () => {
    const [ada, bob] = [calls.people.add(), calls.people.add()];
    await calls.forgetUser(ada.userId);
    await expect(calls.call('addFriend', bob, ada.nametag)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'Nametag not found',
    });
    expect(await tiesOf(ada.userId)).toBe(0);
  });
});
