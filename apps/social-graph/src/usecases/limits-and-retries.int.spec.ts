import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import type { AppError } from '@daycare/api';
import type { DirectoryEntry } from '@daycare/service-kit';
import { pairOf } from '../domain/tie/pair';
import { noTie } from '../domain/tie/tie';
import { openTestCalls, type NametagCall } from '../test-support/test-calls';

const hourMs = 60 * 60 * 1000;
const test = useFixture(openTestCalls);

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error as AppError).code,
  );

describe('friend request limits', () => {
  const ask = (from: DirectoryEntry, others: readonly DirectoryEntry[]) =>
    Promise.all(others.map(({ nametag }) => outcomeOf(test.call('addFriend', from, nametag))));
  const countDone = (outcomes: readonly unknown[]) =>
    outcomes.filter((outcome) => outcome === 'done').length;

  it('the 51st request in an hour is refused with the retry time, and nothing is stored', async () => {
    const ada = test.people.add();
    const before = test.clock;
    for (const { nametag } of test.people.addMany(50)) await test.call('addFriend', ada, nametag);
    const late = test.people.add();
    test.clock = new Date(before.getTime() + hourMs - 1);
    const stored = await test.stored();
    await expect(test.call('addFriend', ada, late.nametag)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { retryAfterMs: 1, quota: { subject: 'caller' } },
    });
    expect(await test.stored()).toEqual(stored);
    test.clock = new Date(before.getTime() + hourMs);
    await expect(test.call('addFriend', ada, late.nametag)).resolves.toMatchObject({
      answer: 'requested',
    });
  });

  it('60 concurrent requests do not exceed the hourly limit', async () => {
    const ada = test.people.add();
    const outcomes = await ask(ada, test.people.addMany(60));
    expect(countDone(outcomes)).toBe(50);
    expect(outcomes.filter((outcome) => outcome === 'QUOTA_EXCEEDED')).toHaveLength(10);
    await expect(test.list(ada)).resolves.toMatchObject({ counts: { requests: 50 } });
  });

  it('the 201st pending request is refused until an earlier one is answered', async () => {
    const ada = test.people.add();
    const others = test.people.addMany(196);
    await Promise.all(
      others.map(({ userId, nametag }) => {
        const { pair, me: by } = pairOf(ada, { userId, nametag });
        const bond = { kind: 'requested', by, since: test.clock } as const;
        return test.ties.save({ pair, tie: { ...noTie, bond }, recent: [], version: 0 });
      }),
    );
    expect(countDone(await ask(ada, test.people.addMany(10)))).toBe(4);
    const late = test.people.add();
    await expect(test.call('addFriend', ada, late.nametag)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { retryAfterMs: hourMs, quota: { subject: 'caller' } },
    });
    await test.call('addFriend', others[0]!, ada.nametag);
    expect(countDone(await ask(ada, [late]))).toBe(1);
  });

  it('accepting a request and repeating one do not count towards the hourly limit', async () => {
    const ada = test.people.add();
    const [requested, requester, late] = test.people.addMany(3);
    await ask(ada, [requested!]);
    await test.call('addFriend', requester!, ada.nametag);
    const madeAt = Array.from({ length: 50 }, () => test.clock);
    await test.mongo.db
      .collection<{ _id: string }>('request_budgets')
      .updateOne({ _id: ada.userId }, { $set: { madeAt } });
    const outcomes = await ask(ada, [requested!, requester!, late!]);
    expect(outcomes).toEqual(['done', 'done', 'QUOTA_EXCEEDED']);
  });
});

describe('retries', () => {
  const runTwice = async (work: () => Promise<unknown>) => {
    const first = await work();
    const stored = await test.stored();
    await expect(work()).resolves.toEqual(first);
    expect(await test.stored()).toEqual(stored);
  };

  it('a retried request, removal, offer, revocation, block, unblock or message gets the first answer and stores nothing more', async () => {
    const [ada, bob] = [test.people.add(), test.people.add()];
    const helper = test.people.add(ada);
    const callTwice = (name: NametagCall, caller: DirectoryEntry, nametag: string, id: string) =>
      runTwice(() => test.call(name, caller, nametag, id));
    const shareTwice = (name: 'shareSubuser' | 'unshareSubuser', id: string) =>
      runTwice(() => test.share(name, ada, bob.nametag, helper.userId, id));
    await callTwice('addFriend', ada, bob.nametag, 'r1');
    await callTwice('addFriend', bob, ada.nametag, 'r1');
    await callTwice('addFriend', ada, bob.nametag, 'r2');
    await runTwice(() => test.send(ada, bob.nametag, 'Hello', 'r3'));
    await shareTwice('shareSubuser', 'r4');
    await callTwice('addFriend', bob, helper.nametag, 'r5');
    await callTwice('removeFriend', bob, helper.nametag, 'r6');
    await shareTwice('shareSubuser', 'r7');
    await shareTwice('unshareSubuser', 'r8');
    await callTwice('removeFriend', bob, ada.nametag, 'r9');
    await callTwice('blockUser', ada, bob.nametag, 'r10');
    await callTwice('unblockUser', ada, bob.nametag, 'r11');
    await expect(test.call('addFriend', ada, bob.nametag, 'r1')).resolves.toMatchObject({
      answer: 'requested',
    });
    await expect(test.send(ada, bob.nametag, 'Hello', 'r3')).resolves.toMatchObject({
      nametag: bob.nametag,
    });
  });

  it('a request id reused for a different command is rejected', async () => {
    const [ada, bob] = await test.newFriends();
    await test.call('removeFriend', ada, bob.nametag, 'used');
    await expect(test.call('addFriend', ada, bob.nametag, 'used')).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
  });

  it('reusing a request id neither reveals hidden subusers nor confirms messages to other recipients', async () => {
    const [ada, bob] = await test.newFriends();
    const hidden = test.people.add(bob);
    await test.call('addFriend', ada, bob.nametag, 'used');
    await test.send(ada, bob.nametag, 'Hello', 'used');
    for (const nametag of [hidden.nametag, 'nobody1']) {
      for (const name of ['addFriend', 'removeFriend'] as const) {
        await expect(outcomeOf(test.call(name, ada, nametag, 'used'))).resolves.toBe('NOT_FOUND');
      }
      await expect(outcomeOf(test.send(ada, nametag, 'Hello', 'used'))).resolves.toBe('NOT_FOUND');
    }
    const stranger = test.people.add();
    const toStranger = test.send(ada, stranger.nametag, 'Hello', 'used');
    await expect(outcomeOf(toStranger)).resolves.toBe('FAILED_PRECONDITION');
  });
});
