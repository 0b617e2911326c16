import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { NoticeKind } from '@daycare/contracts/common';
import {
  AddFriendStatus,
  MessageStatus,
  RemovalStatus,
  ShareStatus,
  TieState,
} from '@daycare/contracts/social-graph';
import { eventually } from '@daycare/testing';
import { startListeningStack } from '../support/stack/listener';
import type { Person } from '../support/people/people';

const stack = useFixture(() => startListeningStack({ replicas: {} }));
const { people, listener, identity, graph } = stack;

const newRequest = (nametag: string) => ({ requestId: createId(), nametag });
const add = (who: Person, nametag: string) => graph.addFriend(newRequest(nametag), who.as);
const remove = (who: Person, nametag: string) => graph.removeFriend(newRequest(nametag), who.as);
const send = (who: Person, nametag: string, message: string) =>
  graph.sendFriendMessage({ ...newRequest(nametag), message }, who.as);

const { receivedBy } = listener;
const receives = (userId: string, count: number) =>
  eventually(() => receivedBy(userId).length === count);

describe('the story of two friends', () => {
  it('two users become friends, exchange messages, share a subuser, revoke the share and end the friendship, and each user receives exactly the notices meant for them', async () => {
    const [ada, bob] = await people.newPair();
    const helper = await people.newSubuser(ada);
    await expect(add(ada, ` ${bob.nametag.toUpperCase()} `)).resolves.toMatchObject({
      summary: `Friend request sent to ${bob.nametag}`,
      status: AddFriendStatus.PENDING_OUT,
      nametag: bob.nametag,
    });
    await expect(add(bob, ada.nametag)).resolves.toMatchObject({ status: AddFriendStatus.FRIENDS });
    const sent = await send(ada, bob.nametag, '  Check the <deploy>  ');
    expect(sent.summary).toBe(`Message sent to ${bob.nametag}`);
    const share = { friendNametag: bob.nametag, subuserId: helper.id };
    await expect(graph.shareSubuser({ requestId: createId(), ...share }, ada.as)).resolves.toEqual({
      summary: `Shared subuser with ${bob.nametag} (pending acceptance)`,
      status: ShareStatus.PENDING,
      nametag: bob.nametag,
      friendNametag: bob.nametag,
      subuserId: helper.id,
      subuserNametag: helper.nametag,
    });
    await expect(add(bob, helper.nametag)).resolves.toMatchObject({
      status: AddFriendStatus.ACTIVE,
      subuserId: helper.id,
      friendNametag: ada.nametag,
    });
    await send(bob, helper.nametag, 'Hello, helper');
    const { friends } = await graph.listFriends({ pageSize: 0, pageToken: '' }, bob.as);
    expect(friends).toMatchObject([
      {
        nametag: ada.nametag,
        sharesOut: [],
        sharesIn: [{ subuserName: 'Helper', status: ShareStatus.ACTIVE }],
      },
    ]);
    await expect(
      graph.unshareSubuser({ requestId: createId(), ...share }, ada.as),
    ).resolves.toMatchObject({
      summary: `Revoked subuser share from ${bob.nametag}`,
      status: RemovalStatus.REMOVED,
    });
    await expect(send(bob, helper.nametag, 'Still there?')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(remove(bob, ada.nametag)).resolves.toMatchObject({
      summary: `Removed ${ada.nametag} as friend`,
      status: RemovalStatus.REMOVED,
    });
    await expect(send(ada, bob.nametag, 'Oh')).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });

    await Promise.all([receives(bob.id, 4), receives(ada.id, 3), receives(helper.id, 1)]);
    const kinds = (userId: string) =>
      receivedBy(userId).map(({ notice, text }) => notice?.kind ?? text);
    expect(kinds(bob.id)).toEqual([
      NoticeKind.FRIEND_REQUESTED,
      'Check the <deploy>',
      NoticeKind.SHARE_OFFERED,
      NoticeKind.SHARE_REVOKED,
    ]);
    expect(kinds(ada.id)).toEqual([
      NoticeKind.FRIEND_ACCEPTED,
      NoticeKind.SHARE_ACCEPTED,
      NoticeKind.FRIEND_REMOVED,
    ]);
    expect(kinds(helper.id)).toEqual(['Hello, helper']);
    expect(receivedBy(bob.id).every(({ origin }) => origin === `friend:${ada.nametag}`)).toBe(true);
    const offer = receivedBy(bob.id)[2]!;
    expect(offer.text).toContain(`friend_add("${helper.nametag}")`);
    expect(offer.text).toContain('Knows the recipes');
    await eventually(async () => {
      const { status } = await graph.getMessageStatus({ messageId: sent.messageId }, ada.as);
      return status === MessageStatus.DELIVERED;
    });
    await expect(
      graph.getMessageStatus({ messageId: sent.messageId }, bob.as),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('consent', () => {
  it('after a user removes a friend, the friend may send a new request immediately, but the user only after a cooldown', async () => {
    const [ada, bob] = await people.newFriends();
    await remove(ada, bob.nametag);
    const refusal = add(ada, bob.nametag);
    await expect(refusal).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { precondition: { type: 'COOLDOWN' }, metadata: { allowed_at: expect.any(String) } },
    });
    await expect(add(bob, ada.nametag)).resolves.toMatchObject({
      status: AddFriendStatus.PENDING_OUT,
    });
    await expect(add(ada, bob.nametag)).resolves.toMatchObject({ status: AddFriendStatus.FRIENDS });
  });

  it('a blocked user’s friend request looks pending to that user and is shown to the blocker only after an unblock', async () => {
    const [ada, bob] = await people.newFriends();
    await graph.blockUser(newRequest(bob.nametag), ada.as);
    const before = receivedBy(ada.id).length;
    await expect(add(bob, ada.nametag)).resolves.toMatchObject({
      summary: `Friend request sent to ${ada.nametag}`,
      status: AddFriendStatus.PENDING_OUT,
    });
    await expect(send(bob, ada.nametag, 'Hello?')).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { precondition: { type: 'NOT_FRIENDS' } },
    });
    const lists = async (who: Person) => graph.listFriends({ pageSize: 0, pageToken: '' }, who.as);
    expect(await lists(bob)).toMatchObject({
      friends: [],
      requests: [{ nametag: ada.nametag, state: TieState.PENDING_OUT }],
      blocks: [],
    });
    expect(await lists(ada)).toMatchObject({
      friends: [],
      requests: [],
      blocks: [{ nametag: bob.nametag }],
    });
    expect(receivedBy(ada.id)).toHaveLength(before);
    await graph.unblockUser(newRequest(bob.nametag), ada.as);
    expect(await lists(ada)).toMatchObject({
      requests: [{ state: TieState.PENDING_IN }],
      blocks: [],
    });
  });

  it('friend requests, removals, messages, blocks and unblocks refuse the caller’s own nametag', async () => {
    const ada = await people.newPerson();
    const calls = [
      add(ada, ada.nametag),
      remove(ada, ada.nametag),
      send(ada, ada.nametag, 'me'),
      graph.blockUser(newRequest(ada.nametag), ada.as),
      graph.unblockUser(newRequest(ada.nametag), ada.as),
    ];
    const refused = { code: 'INVALID_ARGUMENT' };
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(refused)));
  });

  it('a subuser may not add friends', async () => {
    const [ada, bob] = await people.newFriends();
    const helper = await people.newSubuser(ada);
    const asHelper = await people.signIn(helper.id);
    await expect(graph.addFriend(newRequest(bob.nametag), asHelper)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });
});

describe('retries', () => {
  it('retries get the first call’s response, and a retried message is delivered once', async () => {
    const [ada, bob] = await people.newFriends();
    const before = receivedBy(bob.id).length;
    const request = { requestId: 'once', nametag: bob.nametag, message: 'Only once' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => graph.sendFriendMessage(request, ada.as)),
    );
    expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1);
    const removal = { requestId: 'bye', nametag: bob.nametag };
    const first = await graph.removeFriend(removal, ada.as);
    await expect(graph.removeFriend(removal, ada.as)).resolves.toEqual(first);
    await expect(graph.sendFriendMessage(request, ada.as)).resolves.toEqual(answers[0]);
    await expect(graph.addFriend(removal, ada.as)).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
    // The removal notice is the last message of its lane: once it has arrived, nothing else is in flight.
    await eventually(() =>
      receivedBy(bob.id).some(({ notice }) => notice?.kind === NoticeKind.FRIEND_REMOVED),
    );
    expect(
      receivedBy(bob.id)
        .slice(before)
        .map(({ text, notice }) => notice?.kind ?? text),
    ).toEqual(['Only once', NoticeKind.FRIEND_REMOVED]);
  });
});

describe('deleted users', () => {
  it('deleting a subuser ends its shares, deleting a user ends the user’s friendships, and the friends are notified', async () => {
    const [ada, bob] = await people.newFriends();
    const helper = await people.newSubuser(ada);
    const share = { requestId: createId(), friendNametag: bob.nametag, subuserId: helper.id };
    await graph.shareSubuser(share, ada.as);
    await identity.deleteSubuser({ requestId: createId(), subuserId: helper.id }, ada.as);
    const bobReceives = (kind: NoticeKind) =>
      eventually(() => receivedBy(bob.id).some(({ notice }) => notice?.kind === kind), {
        timeoutMs: 15_000,
      });
    await bobReceives(NoticeKind.SHARE_REVOKED);
    await identity.deleteUser({ requestId: createId(), userId: ada.id }, ada.as);
    await bobReceives(NoticeKind.FRIEND_REMOVED);
    const lists = await graph.listFriends({ pageSize: 0, pageToken: '' }, bob.as);
    expect(lists).toMatchObject({ friends: [], requests: [], friendCount: 0 });
    await eventually(async () => {
      const code: unknown = await add(bob, ada.nametag).catch(
        (error: unknown) => (error as { code: string }).code,
      );
      return code === 'NOT_FOUND';
    });
  });
});
