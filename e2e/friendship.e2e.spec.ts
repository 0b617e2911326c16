import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { NoticeKind, type SystemMessage } from '@daycare/contracts/common';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import {
  AddFriendStatus,
  MessageStatus,
  RemovalStatus,
  ShareStatus,
  SocialGraphServiceService,
  TieState,
} from '@daycare/contracts/social-graph';
import {
  connectNats,
  consumeSystemMessages,
  defineSystemStream,
  subjectsOfShard,
} from '@daycare/messaging';
import { createRpcClient, type CallOptions, type RpcClient } from '@daycare/rpc';
import { eventually, startTestStack, type TestStack } from '@daycare/testing';

let stack: TestStack;
let identity: RpcClient<typeof IdentityServiceService>;
let graph: RpcClient<typeof SocialGraphServiceService>;
/** What agents would hear, in the order it arrived. */
const heard: SystemMessage[] = [];
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  stack = await startTestStack({
    services: ['identity', 'social-graph'],
    env: { DAYCARE_REPUBLISH_AFTER_MS: '1000', DAYCARE_RATE_BURST: '100000' },
  });
  identity = createRpcClient(IdentityServiceService, { address: stack.addressOf('identity') });
  graph = createRpcClient(SocialGraphServiceService, { address: stack.addressOf('social-graph') });
  const nothing = (): void => undefined;
  const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const nats = await connectNats({ url: stack.natsUrl, name: 'listener', logger });
  const stream = defineSystemStream({ prefix: stack.natsPrefix, duplicateWindowMs: 500 });
  const consumer = consumeSystemMessages({
    connection: nats.connection,
    stream,
    durable: 'agents',
    filterSubjects: Array.from({ length: stream.shards }, (_, shard) =>
      subjectsOfShard(stream, shard),
    ),
    logger,
    handle: async (message) => {
      if (!heard.some(({ id }) => id === message.id)) heard.push(message);
    },
    deadLetter: async () => undefined,
  });
  closing.push(
    () => nats.close(),
    () => consumer.stop(),
    () => identity.close(),
    () => graph.close(),
  );
}, 60_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await stack.stop();
});

interface Person extends User {
  readonly as: CallOptions;
}

async function newPerson(): Promise<Person> {
  const admin = { metadata: stack.adminMetadata };
  const { user } = await identity.createUser({ requestId: createId(), name: 'Somebody' }, admin);
  return { ...user!, as: await signedIn(user!.id) };
}

async function signedIn(userId: string): Promise<CallOptions> {
  const request = { userId, agentId: '', publicKeyJwk: '' };
  const { tokens } = await identity.issueToken(request, { metadata: stack.adminMetadata });
  return { metadata: { authorization: `Bearer ${tokens!.accessToken}` } };
}

async function newSubuser({ as }: Person): Promise<User> {
  const request = { requestId: createId(), name: 'Helper', description: 'Knows the recipes' };
  return (await identity.createSubuser(request, as)).subuser!;
}

const about = (nametag: string) => ({ requestId: createId(), nametag });
const add = (who: Person, nametag: string) => graph.addFriend(about(nametag), who.as);
const remove = (who: Person, nametag: string) => graph.removeFriend(about(nametag), who.as);
const send = (who: Person, nametag: string, message: string) =>
  graph.sendFriendMessage({ ...about(nametag), message }, who.as);

async function newFriends(): Promise<[Person, Person]> {
  const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
  await add(ada, bob.nametag);
  await add(bob, ada.nametag);
  return [ada, bob];
}

const heardBy = (userId: string) => heard.filter(({ recipient }) => recipient?.userId === userId);
const hears = (userId: string, count: number) =>
  eventually(() => heardBy(userId).length === count, { timeoutMs: 15_000 });

describe('the story of two friends', () => {
  it('asks, accepts, sends, shares, revokes and parts, and each side hears just that', async () => {
    const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
    const helper = await newSubuser(ada);
    await expect(add(ada, ` ${bob.nametag.toUpperCase()} `)).resolves.toMatchObject({
      summary: `Friend request sent to ${bob.nametag}`,
      status: AddFriendStatus.PENDING_OUT,
      nametag: bob.nametag,
    });
    await expect(add(bob, ada.nametag)).resolves.toMatchObject({ status: AddFriendStatus.FRIENDS });
    const sent = await send(ada, bob.nametag, '  Check the <deploy>  ');
    expect(sent.summary).toBe(`Message sent to ${bob.nametag}`);
    const sharing = { friendNametag: bob.nametag, subuserId: helper.id };
    await expect(
      graph.shareSubuser({ requestId: createId(), ...sharing }, ada.as),
    ).resolves.toEqual({
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
      graph.unshareSubuser({ requestId: createId(), ...sharing }, ada.as),
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

    await Promise.all([hears(bob.id, 4), hears(ada.id, 3), hears(helper.id, 1)]);
    const kinds = (userId: string) =>
      heardBy(userId).map(({ notice, text }) => notice?.kind ?? text);
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
    expect(heardBy(bob.id).every(({ origin }) => origin === `friend:${ada.nametag}`)).toBe(true);
    const offer = heardBy(bob.id)[2]!;
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
  it('lets the removed one ask at once and makes the remover wait', async () => {
    const [ada, bob] = await newFriends();
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

  it('shows the blocked side a request that is never answered', async () => {
    const [ada, bob] = await newFriends();
    await graph.blockUser(about(bob.nametag), ada.as);
    const before = heardBy(ada.id).length;
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
    expect(heardBy(ada.id)).toHaveLength(before);
    await graph.unblockUser(about(bob.nametag), ada.as);
    expect(await lists(ada)).toMatchObject({
      requests: [{ state: TieState.PENDING_IN }],
      blocks: [],
    });
  });

  it('refuses oneself in every call', async () => {
    const ada = await newPerson();
    const calls = [
      add(ada, ada.nametag),
      remove(ada, ada.nametag),
      send(ada, ada.nametag, 'me'),
      graph.blockUser(about(ada.nametag), ada.as),
      graph.unblockUser(about(ada.nametag), ada.as),
    ];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('refuses a subuser whatever it calls', async () => {
    const [ada, bob] = await newFriends();
    const helper = await newSubuser(ada);
    const asHelper = await signedIn(helper.id);
    await expect(graph.addFriend(about(bob.nametag), asHelper)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });
});

describe('retries', () => {
  it('get the first answer and deliver once', async () => {
    const [ada, bob] = await newFriends();
    const before = heardBy(bob.id).length;
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
    // The removal is the last thing of the lane, so nothing more is on its way.
    await eventually(() =>
      heardBy(bob.id).some(({ notice }) => notice?.kind === NoticeKind.FRIEND_REMOVED),
    );
    expect(
      heardBy(bob.id)
        .slice(before)
        .map(({ text, notice }) => notice?.kind ?? text),
    ).toEqual(['Only once', NoticeKind.FRIEND_REMOVED]);
  });
});

describe('users that are deleted', () => {
  it('leave their friends, who are told, and their subusers leave those they were shared with', async () => {
    const [ada, bob] = await newFriends();
    const helper = await newSubuser(ada);
    const sharing = { requestId: createId(), friendNametag: bob.nametag, subuserId: helper.id };
    await graph.shareSubuser(sharing, ada.as);
    await identity.deleteSubuser({ requestId: createId(), subuserId: helper.id }, ada.as);
    const bobHears = (kind: NoticeKind) =>
      eventually(() => heardBy(bob.id).some(({ notice }) => notice?.kind === kind), {
        timeoutMs: 15_000,
      });
    await bobHears(NoticeKind.SHARE_REVOKED);
    await identity.deleteUser({ requestId: createId(), userId: ada.id }, ada.as);
    await bobHears(NoticeKind.FRIEND_REMOVED);
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
