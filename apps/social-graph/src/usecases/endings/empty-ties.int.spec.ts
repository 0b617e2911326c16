import { describe, expect, it } from '@jest/globals';
import type { DirectoryEntry } from '@daycare/service-kit';
import { useFixture } from '@daycare/testing/jest';
import { pairId } from '../../domain/tie/pair';
import { NoticeSource } from '../../store/notice-source';
import type { TieDocument } from '../../store/tie-document';
import { makeLimitBlocks } from '../../guards/limit-blocks';
import { openTestCalls } from '../../test-support/test-calls';

const dayMs = 24 * 60 * 60 * 1000;
const test = useFixture(openTestCalls);

const ties = () => test.mongo.db.collection<TieDocument>('ties');
const documentOf = (one: DirectoryEntry, other: DirectoryEntry) =>
  ties().findOne({ _id: pairId(one.userId, other.userId) });

/** Stands in for MongoDB, which once a minute removes what has expired by its own clock. */
const removeExpired = (now: Date) => ties().deleteMany({ expiresAt: { $lte: now } });

/** As if agent-runtime had confirmed every notice. */
async function settleNotices(one: DirectoryEntry, other: DirectoryEntry): Promise<void> {
  const notices = (await documentOf(one, other))?.notices ?? [];
  const timing = { republishAfterMs: 1, maxRepublishAfterMs: 1 };
  const source = new NoticeSource(test.mongo.db, timing, async () => undefined);
  await source.settle(notices.map(({ id }) => ({ id, outcome: 'delivered' as const })));
}

describe('a tie that has become empty', () => {
  it('a tie that held only a block expires a day after the block is lifted', async () => {
    const [ada, bob] = [test.people.add(), test.people.add()];
    await test.call('blockUser', ada, bob.nametag, 'block');
    expect((await documentOf(ada, bob))?.expiresAt).toBeUndefined();
    await test.call('unblockUser', ada, bob.nametag, 'unblock');
    const expiresAt = (await documentOf(ada, bob))?.expiresAt;
    expect(expiresAt?.getTime()).toBeGreaterThanOrEqual(test.clock.getTime() + dayMs);
    expect(expiresAt?.getTime()).toBeLessThan(test.clock.getTime() + dayMs + 10_000);
    await expect(test.call('unblockUser', ada, bob.nametag, 'unblock')).resolves.toMatchObject({
      answer: 'unblocked',
    });
  });

  it('a tie does not expire if the user is blocked again, or sends a request after being unblocked', async () => {
    const [ada, bob] = [test.people.add(), test.people.add()];
    for (const name of ['blockUser', 'unblockUser', 'blockUser'] as const)
      await test.call(name, ada, bob.nametag);
    expect((await documentOf(ada, bob))?.expiresAt).toBeUndefined();
    await test.call('unblockUser', ada, bob.nametag);
    await test.call('addFriend', bob, ada.nametag);
    expect((await documentOf(ada, bob))?.expiresAt).toBeUndefined();
  });

  it('a tie does not expire before its notices have their receipts and its cooldown has ended', async () => {
    const [ada, bob] = await test.newFriends();
    await test.call('removeFriend', ada, bob.nametag);
    expect((await documentOf(ada, bob))?.expiresAt).toBeUndefined();
    await settleNotices(ada, bob);
    const document = await documentOf(ada, bob);
    expect(document?.expiresAt).toEqual(
      document?.cooldownUntil[ada.userId < bob.userId ? 'low' : 'high'],
    );
  });

  it('a tie that is created again after it expired has higher versions than before', async () => {
    const [ada, bob] = await test.newFriends();
    await test.call('removeFriend', ada, bob.nametag);
    await settleNotices(ada, bob);
    const before = await documentOf(ada, bob);
    const later = new Date(before?.expiresAt ?? 0);
    await removeExpired(later);
    expect(await documentOf(ada, bob)).toBeNull();
    test.clock = later;
    await test.call('addFriend', bob, ada.nametag);
    await test.call('addFriend', ada, bob.nametag);
    const version = (await documentOf(ada, bob))?.version ?? 0;
    expect(version).toBeGreaterThan(before?.version ?? Infinity);
    await expect(test.send(ada, bob.nametag)).resolves.toMatchObject({ nametag: bob.nametag });
  });
});

describe('the number of users that a user has blocked', () => {
  it('retries, repeated blocks and refused calls do not count towards the hourly limit on blocks', async () => {
    const ada = test.people.add();
    const [first, second, third] = test.people.addMany(3);
    test.limitBlocks = makeLimitBlocks(2);
    await test.call('blockUser', ada, first!.nametag, 'block');
    await test.call('blockUser', ada, first!.nametag, 'block');
    await expect(test.call('blockUser', ada, first!.nametag)).resolves.toMatchObject({
      answer: 'already_blocked',
    });
    await expect(test.call('blockUser', ada, 'nobody1')).rejects.toThrow();
    await test.call('blockUser', ada, second!.nametag);
    await expect(test.call('blockUser', ada, third!.nametag)).rejects.toMatchObject({
      message: 'You can block 2 users per hour; try again later',
    });
    test.limitBlocks = () => undefined;
  });

  it('a user can block only a limited number of others; a retry still succeeds, and unblocking one allows another block', async () => {
    const ada = test.people.add();
    const others = test.people.addMany(test.maxBlocks + 1);
    const [first, ...rest] = others;
    const last = rest.pop();
    for (const { nametag } of [first!, ...rest])
      await test.call('blockUser', ada, nametag, nametag);
    const block = () => test.call('blockUser', ada, last!.nametag);
    await expect(block()).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: 'You have blocked too many users; unblock one of them first',
    });
    const retry = test.call('blockUser', ada, first!.nametag, first!.nametag);
    await expect(retry).resolves.toMatchObject({ answer: 'blocked' });
    await test.call('unblockUser', ada, first!.nametag);
    await expect(block()).resolves.toMatchObject({ answer: 'blocked' });
  });
});
