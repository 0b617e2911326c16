import { describe, expect, it } from '@jest/globals';
import { NoticeKind, SystemMessage } from '@daycare/contracts/common';
import { inboxService, OutboxStore } from '@daycare/messaging';
import type { DirectoryEntry } from '@daycare/service-kit';
import { uniqueName } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { versionBefore } from '../../domain/tie/lifetime';
import { pairId } from '../../domain/tie/pair';
import { NoticeSource } from '../../store/notice-source';
import type { TieDocument } from '../../store/tie-document';
import { openTestCalls } from '../../test-support/test-calls';
import { makeSendSteps } from '../sending/send-friend-message';

const test = useFixture(openTestCalls);
const noLongerAllowed = { state: 'dead', reason: 'no longer allowed' };

const statusOf = (by: DirectoryEntry, messageId: string) =>
  test.usecases.getMessageStatus(by.userId, messageId);

async function sendMany(by: DirectoryEntry, nametag: string, count: number): Promise<string[]> {
  const sent = await Promise.all(
    Array.from({ length: count }, (_, index) => test.send(by, nametag, `message ${index}`)),
  );
  return sent.map(({ messageId }) => messageId);
}

/** Ada shares a helper with Bob, who has accepted. */
async function newGuest() {
  const [ada, bob] = await test.newFriends();
  const helper = test.people.add(ada);
  await test.share('shareSubuser', ada, bob.nametag, helper.userId);
  await test.call('addFriend', bob, helper.nametag);
  return { ada, bob, helper };
}

/** The version that this change to a new tie creates; the first change is number 1. */
const versionOfChange = (number: number): number => versionBefore(test.clock) + number;

async function closingsBetween(one: DirectoryEntry, other: DirectoryEntry) {
  const ties = test.mongo.db.collection<TieDocument>('ties');
  const tie = await ties.findOne({ _id: pairId(one.userId, other.userId) });
  return (tie?.notices ?? []).flatMap(({ service, payload }) =>
    service === inboxService ? [SystemMessage.decode(payload.buffer)] : [],
  );
}

describe('ending a friendship', () => {
  it('blocking a friend marks the waiting messages in both directions as dead, even a thousand, with the reason', async () => {
    const [ada, bob] = await test.newFriends();
    const ids = await sendMany(ada, bob.nametag, 1_000);
    const [answer] = await sendMany(bob, ada.nametag, 1);
    await test.call('blockUser', bob, ada.nametag);
    for (const id of [ids[0]!, ids[500]!, ids[999]!])
      expect(await statusOf(ada, id)).toMatchObject(noLongerAllowed);
    expect(await statusOf(bob, answer!)).toMatchObject(noLongerAllowed);
    const outbox = test.mongo.db.collection('outbox');
    expect(await outbox.countDocuments({ _id: { $in: ids as never[] }, open: true })).toBe(0);
  });

  it('ending a friendship stores a closing notice for agent-runtime’s inboxes', async () => {
    const [ada, bob] = await test.newFriends();
    await test.call('removeFriend', bob, ada.nametag);
    const id = pairId(ada.userId, bob.userId);
    expect(await closingsBetween(ada, bob)).toMatchObject([
      {
        notice: { kind: NoticeKind.TIE_CLOSED },
        tie: { id, version: versionOfChange(3), subuserId: '' },
      },
    ]);
  });

  it('blocking a stranger stores no closing notice, because nothing can be waiting', async () => {
    const [ada, bob] = [test.people.add(), test.people.add()];
    await test.call('blockUser', bob, ada.nametag);
    expect(await closingsBetween(ada, bob)).toEqual([]);
  });

  it('blocking someone whose request is pending stores a closing notice, because the request’s notice may still be waiting', async () => {
    const [ada, bob] = [test.people.add(), test.people.add()];
    await test.call('addFriend', ada, bob.nametag);
    await test.call('blockUser', bob, ada.nametag);
    expect(await closingsBetween(ada, bob)).toMatchObject([
      { tie: { version: versionOfChange(2) } },
    ]);
  });

  it('blocking someone whose request was withdrawn stores a closing notice, because the request’s notice may still be waiting', async () => {
    const [ada, bob] = [test.people.add(), test.people.add()];
    await test.call('addFriend', ada, bob.nametag);
    await test.call('removeFriend', ada, bob.nametag);
    await test.call('blockUser', bob, ada.nametag);
    expect(await closingsBetween(ada, bob)).toMatchObject([
      { tie: { version: versionOfChange(3) } },
    ]);
  });

  it('repeated blocking is refused while too many closing notices are undelivered', async () => {
    const [ada, bob] = [test.people.add(), test.people.add()];
    await test.call('addFriend', ada, bob.nametag);
    await test.call('blockUser', bob, ada.nametag);
    const ties = test.mongo.db.collection<TieDocument>('ties');
    const _id = pairId(ada.userId, bob.userId);
    const { notices = [] } = (await ties.findOne({ _id }))!;
    const closing = notices.find(({ closes }) => closes)!;
    await ties.updateOne({ _id }, { $set: { notices: Array(256).fill(closing) } });
    await test.call('unblockUser', bob, ada.nametag);
    await expect(test.call('blockUser', bob, ada.nametag)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('deleting a user marks the user’s waiting messages to a friend as dead and stores a closing notice for the tie', async () => {
    const [ada, bob] = await test.newFriends();
    const [sent] = await sendMany(ada, bob.nametag, 1);
    await test.forgetUser(ada.userId);
    expect(await statusOf(ada, sent!)).toMatchObject(noLongerAllowed);
    expect(await closingsBetween(ada, bob)).toMatchObject([
      { tie: { version: versionOfChange(3), subuserId: '' } },
    ]);
  });

  it('messages from an ended friendship stay dead in a new one, and the new one’s messages do not wait for them', async () => {
    const [ada, bob] = await test.newFriends();
    const [old] = await sendMany(ada, bob.nametag, 1);
    await test.call('removeFriend', bob, ada.nametag);
    await test.call('addFriend', ada, bob.nametag);
    await test.call('addFriend', bob, ada.nametag);
    const [first, second] = [
      await test.send(ada, bob.nametag, 'again'),
      await test.send(ada, bob.nametag, 'and again'),
    ];
    expect(await statusOf(ada, old!)).toMatchObject(noLongerAllowed);
    expect(await statusOf(ada, first.messageId)).toMatchObject({ state: 'accepted' });
    const rows = test.mongo.db.collection<{ _id: string; predecessors: string[] }>('outbox');
    const secondRow = await rows.findOne({ _id: second.messageId });
    expect(secondRow?.predecessors).toContain(first.messageId);
    expect(secondRow?.predecessors).not.toContain(old);
  });

  it('a message that is still being stored when the friendship ends carries a lower tie version than the closing notice', async () => {
    const [ada, bob] = await test.newFriends();
    const outbox = new OutboxStore(test.mongo.db, 'social-graph');
    const { ties } = test;
    const { directory, findOwnSubusers } = test.people;
    const { addressLimits } = test;
    const deps = { directory, findOwnSubusers, ties, outbox, addressLimits };
    const steps = makeSendSteps({ ...deps, now: () => new Date() });
    const call = { callerId: ada.userId, agentId: undefined, turn: {} };
    const message = await steps.prepare({
      ...call,
      requestId: uniqueName('r'),
      nametag: bob.nametag,
      message: 'late',
    });
    await test.call('blockUser', bob, ada.nametag);
    await steps.store(message);
    const [closing] = await closingsBetween(ada, bob);
    const late = (await test.outboxOf(bob)).find(({ text }) => text === 'late');
    expect(late?.tie?.id).toBe(closing?.tie?.id);
    expect(late!.tie!.version).toBeLessThan(closing!.tie!.version);
  });

  it('messages that a crashed process left open are marked as dead before the closing notice for their tie is published', async () => {
    const [ada, bob] = await test.newFriends();
    const [sent] = await sendMany(ada, bob.nametag, 1);
    await test.call('removeFriend', bob, ada.nametag);
    // As if the process had died after it ended the tie, and before it marked the messages as dead.
    const rows = test.mongo.db.collection<{ _id: string }>('outbox');
    const tie = { id: pairId(ada.userId, bob.userId), version: versionOfChange(2) };
    await rows.updateOne({ _id: sent! }, { $set: { open: true, tie }, $unset: { ended: 1 } });
    expect(await statusOf(ada, sent!)).toMatchObject({ state: 'accepted' });
    const outbox = new OutboxStore(test.mongo.db, 'social-graph');
    const timing = { republishAfterMs: 15_000, maxRepublishAfterMs: 60_000 };
    const source = new NoticeSource(test.mongo.db, timing, (endedTie) => outbox.endTie(endedTie));
    const due = { now: new Date(Date.now() + 60_000), republishBefore: new Date(0) };
    await source.claimDue(due, 1_000);
    expect(await statusOf(ada, sent!)).toMatchObject(noLongerAllowed);
  });

  it('if the first attempt to block someone left messages open, its retry marks them as dead', async () => {
    const [ada, bob] = await test.newFriends();
    const [sent] = await sendMany(ada, bob.nametag, 1);
    const requestId = uniqueName('r');
    await test.call('blockUser', bob, ada.nametag, requestId);
    const rows = test.mongo.db.collection<{ _id: string }>('outbox');
    const tie = { id: pairId(ada.userId, bob.userId), version: versionOfChange(2) };
    await rows.updateOne({ _id: sent! }, { $set: { open: true, tie }, $unset: { ended: 1 } });
    await test.call('blockUser', bob, ada.nametag, requestId);
    expect(await statusOf(ada, sent!)).toMatchObject(noLongerAllowed);
  });
});

describe('ending a share', () => {
  it.each(['revoking', 'giving up'] as const)(
    '%s a share marks waiting messages to the subuser as dead, but not those to its owner',
    async (how) => {
      const { ada, bob, helper } = await newGuest();
      const [toHelper] = await sendMany(bob, helper.nametag, 1);
      const [toAda] = await sendMany(bob, ada.nametag, 1);
      if (how === 'revoking') await test.share('unshareSubuser', ada, bob.nametag, helper.userId);
      else await test.call('removeFriend', bob, helper.nametag);
      expect(await statusOf(bob, toHelper!)).toMatchObject(noLongerAllowed);
      expect(await statusOf(bob, toAda!)).toMatchObject({ state: 'accepted' });
    },
  );

  it('ending a friendship also marks waiting messages to shared subusers as dead', async () => {
    const { ada, bob, helper } = await newGuest();
    const [toHelper] = await sendMany(bob, helper.nametag, 1);
    await test.call('removeFriend', ada, bob.nametag);
    expect(await statusOf(bob, toHelper!)).toMatchObject(noLongerAllowed);
  });

  it('deleting a subuser marks waiting messages to the subuser as dead, but not messages to its owner', async () => {
    const { ada, bob, helper } = await newGuest();
    const [toHelper] = await sendMany(bob, helper.nametag, 1);
    const [toAda] = await sendMany(bob, ada.nametag, 1);
    await test.forgetUser(helper.userId);
    expect(await statusOf(bob, toHelper!)).toMatchObject(noLongerAllowed);
    expect(await statusOf(bob, toAda!)).toMatchObject({ state: 'accepted' });
    expect(await closingsBetween(ada, bob)).toMatchObject([{ tie: { subuserId: helper.userId } }]);
  });

  it('withdrawing an offer that was never accepted stores no closing notice', async () => {
    const [ada, bob] = await test.newFriends();
    const helper = test.people.add(ada);
    await test.share('shareSubuser', ada, bob.nametag, helper.userId);
    await test.share('unshareSubuser', ada, bob.nametag, helper.userId);
    expect(await closingsBetween(ada, bob)).toEqual([]);
  });
});
