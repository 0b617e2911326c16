import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AppError } from '@daycare/api';
import type { DirectoryEntry } from '@daycare/service-kit';
import { uniqueName } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { pairId } from '../domain/tie/pair';
import type { FriendLimits, Side } from '../domain/tie/tie';
import type { TieDocument } from '../store/tie-document';
import { openTestCalls } from '../test-support/test-calls';

const test = useFixture(openTestCalls);
const hourMs = 60 * 60 * 1000;

beforeEach(() => {
  Object.assign(test.addressLimits, { perHour: 1_000_000, waiting: 1_000_000 });
});

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    (error: unknown) => (error as AppError).code,
  );
const sendMany = async (from: DirectoryEntry, nametag: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => codeOf(test.send(from, nametag))));
const limit = (caller: DirectoryEntry, nametag: string, limits: FriendLimits) =>
  test.usecases.setFriendLimits({
    callerId: caller.userId,
    requestId: uniqueName('r'),
    nametag,
    limits,
  });
const accepted = (codes: readonly string[]): number => codes.filter((code) => code === 'OK').length;

describe('limits on messages to a friend', () => {
  it('messages to a friend are limited per hour, and the refusal says when to try again', async () => {
    test.addressLimits.perHour = 5;
    const [ada, bob] = await test.newFriends();
    expect(accepted(await sendMany(ada, bob.nametag, 8))).toBe(5);
    await expect(test.send(ada, bob.nametag)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/5 messages per hour.*try again after 20/),
      details: { retryAfterMs: expect.any(Number) },
    });
    expect(await codeOf(test.send(bob, ada.nametag))).toBe('OK');
  });

  it('messages to a friend’s subusers count towards the limit on messages to the friend', async () => {
    test.addressLimits.perHour = 4;
    const [ada, bob] = await test.newFriends();
    const helpers = [test.people.add(ada), test.people.add(ada)];
    for (const helper of helpers) {
      await test.share('shareSubuser', ada, bob.nametag, helper.userId);
      await test.call('addFriend', bob, helper.nametag);
    }
    const sent = [
      ...(await sendMany(bob, ada.nametag, 2)),
      ...(await sendMany(bob, helpers[0]!.nametag, 1)),
      ...(await sendMany(bob, helpers[1]!.nametag, 3)),
    ];
    expect(accepted(sent)).toBe(4);
  });

  it('the number of waiting messages to a friend is limited, and a new friendship resets the count', async () => {
    test.addressLimits.waiting = 3;
    const [ada, bob] = await test.newFriends();
    expect(accepted(await sendMany(ada, bob.nametag, 6))).toBe(3);
    await test.call('removeFriend', bob, ada.nametag);
    await test.call('addFriend', ada, bob.nametag);
    await test.call('addFriend', bob, ada.nametag);
    expect(accepted(await sendMany(ada, bob.nametag, 6))).toBe(3);
  });
});

describe('setFriendLimits', () => {
  it('lowers the limits for one friend, and can remove them again', async () => {
    const [ada, bob] = await test.newFriends();
    await limit(bob, ada.nametag, { perHour: 2 });
    expect(accepted(await sendMany(ada, bob.nametag, 4))).toBe(2);
    expect(accepted(await sendMany(bob, ada.nametag, 4))).toBe(4);
    await limit(bob, ada.nametag, {});
    expect(accepted(await sendMany(ada, bob.nametag, 4))).toBe(4);
  });

  it('never allows more than the limits of the installation', async () => {
    test.addressLimits.perHour = 3;
    const [ada, bob] = await test.newFriends();
    await limit(bob, ada.nametag, { perHour: 1_000 });
    expect(accepted(await sendMany(ada, bob.nametag, 5))).toBe(3);
  });

  it('sets limits that are shown to the user who set them, but not to the friend', async () => {
    const [ada, bob] = await test.newFriends();
    const adasBefore = await test.list(ada);
    const bobsBefore = await test.list(bob);
    await limit(bob, ada.nametag, { perHour: 2, waiting: 9 });
    expect((await test.list(bob)).friends[0]?.limits).toEqual({ perHour: 2, waiting: 9 });
    expect((await test.list(bob)).digest).not.toBe(bobsBefore.digest);
    expect(await test.list(ada)).toEqual(adasBefore);
  });

  it('refuses limits out of range, strangers and unknown nametags', async () => {
    const [ada, bob] = await test.newFriends();
    const stranger = test.people.add();
    expect(await codeOf(limit(bob, ada.nametag, { perHour: 0 }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(limit(bob, ada.nametag, { waiting: 1_000_001 }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(limit(bob, stranger.nametag, {}))).toBe('FAILED_PRECONDITION');
    expect(await codeOf(limit(bob, 'nobody1', {}))).toBe('NOT_FOUND');
  });
});

describe('offers of subusers', () => {
  it('offers of subusers are limited per hour, and the refusal says when to try again', async () => {
    const [ada, bob] = await test.newFriends();
    const helper = test.people.add(ada);
    const offer = () => test.share('shareSubuser', ada, bob.nametag, helper.userId);
    const revoke = () => test.share('unshareSubuser', ada, bob.nametag, helper.userId);
    const ties = test.mongo.db.collection<TieDocument>('ties');
    const _id = pairId(ada.userId, bob.userId);
    for (let offers = 0; offers < 60; offers += 1) {
      await offer();
      await revoke();
      // As if the notices had been delivered.
      await ties.updateOne({ _id }, { $set: { notices: [] } });
    }
    await expect(offer()).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/too many subusers in one hour; try again after 20/),
      details: { retryAfterMs: expect.any(Number) },
    });
    test.clock = new Date(test.clock.getTime() + hourMs);
    await offer();
    await revoke();
  });

  it('two friends have at most a hundred shares, and each page of a friend list stays below 4 MiB even if every friend has that many', async () => {
    const ada = test.people.add();
    const friends = test.people.addMany(8);
    const ties = test.mongo.db.collection<TieDocument>('ties');
    for (const friend of friends) {
      await test.call('addFriend', friend, ada.nametag);
      await test.call('addFriend', ada, friend.nametag);
      const owner: Side = friend.userId < ada.userId ? 'low' : 'high';
      const shares = Array.from({ length: 100 }, (_, index) => ({
        subuserId: `${friend.userId}s${index}`,
        subuserNametag: `helper${index}`,
        subuserName: 'Helper',
        subuserDescription: '🦦'.repeat(1_000),
        owner,
        status: 'pending' as const,
        offeredAt: new Date(),
      }));
      await ties.updateOne({ _id: pairId(ada.userId, friend.userId) }, { $set: { shares } });
    }
    const helper = test.people.add(ada);
    await expect(
      test.share('shareSubuser', ada, friends[0]!.nametag, helper.userId),
    ).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await test.list(ada, 1_000, pageToken);
      expect(Buffer.byteLength(JSON.stringify(page.friends))).toBeLessThan(4 * 1024 * 1024);
      seen.push(...page.friends.map(({ nametag }) => nametag));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen.sort()).toEqual(friends.map(({ nametag }) => nametag).sort());
  });
});
