import { afterEach, describe, expect, it } from '@jest/globals';
import {
  AddFriendStatus,
  RemovalStatus,
  ShareStatus,
  type SocialGraphServiceService,
} from '@daycare/contracts/social-graph';
import { AppError } from '@daycare/errors';
import type { Handlers } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { makeFriends } from '../rpc/social-graph-client';
import { testAgent, testContext } from '../test-support/test-agent';
import { startTestPeers, testCredential, type TestPeers } from '../test-support/test-peers';
import { makeFriendAddTool } from './friend-add';
import { makeFriendBlockTool } from './friend-block';
import { makeFriendListTool } from './friend-list';
import { makeFriendRemoveTool } from './friend-remove';
import { makeFriendSendTool } from './friend-send';
import { makeFriendShareSubuserTool } from './friend-share-subuser';
import { makeFriendUnblockTool } from './friend-unblock';
import { makeFriendUnshareSubuserTool } from './friend-unshare-subuser';
import { ToolRegistry } from './tool-registry';

type GraphHandlers = Handlers<typeof SocialGraphServiceService>;

let peers: TestPeers;
afterEach(() => peers.close());

/** The friend tools in front of a social-graph that answers so. */
async function serve(
  handlers: GraphHandlers,
  authenticate?: Parameters<typeof startTestPeers>[1],
): Promise<ToolRegistry> {
  peers = await startTestPeers({ socialGraph: handlers }, authenticate);
  const friends = makeFriends(peers.socialGraph, testCredential);
  const deps = { friends, guards: { maxHops: 16, maxSubagents: 1, maxDepth: 1 } };
  return new ToolRegistry([
    makeFriendAddTool(deps),
    makeFriendBlockTool(deps),
    makeFriendListTool(deps),
    makeFriendRemoveTool(deps),
    makeFriendSendTool(deps),
    makeFriendShareSubuserTool(deps),
    makeFriendUnblockTool(deps),
    makeFriendUnshareSubuserTool(deps),
  ]);
}

async function call(tools: ToolRegistry, name: string, args: object, agent = testAgent()) {
  const outcome = await tools.call(name, JSON.stringify(args), testContext(agent));
  return JSON.parse(outcome.resultJson);
}

const noShare = { subuserId: '', subuserNametag: '', friendNametag: '' };
const share = { subuserId: 'sub1', subuserNametag: 'coolcat11', friendNametag: 'swiftfox42' };
const nametag = 'swiftfox42';

describe('friend_add', () => {
  it('asks as the agent and answers as social-graph does', async () => {
    const seen: unknown[] = [];
    const tools = await serve({
      async addFriend(request, { caller }) {
        seen.push(request, caller);
        const summary = 'Friend request sent to swiftfox42';
        return { summary, status: AddFriendStatus.PENDING_OUT, nametag, ...noShare };
      },
    });
    const answer = await call(tools, 'friend_add', { nametag: 'SwiftFox42' });
    expect(answer).toEqual({
      summary: 'Friend request sent to swiftfox42',
      status: 'pending_out',
      nametag,
    });
    expect(seen).toEqual([
      { requestId: 'request1', nametag: 'SwiftFox42' },
      { kind: 'user', userId: 'user1', agentId: 'agent1', hops: 1 },
    ]);
  });

  it.each([
    [AddFriendStatus.FRIENDS, noShare, { status: 'friends' }],
    [AddFriendStatus.ACTIVE, share, { status: 'active', ...share }],
  ])('tells %s in words', async (status, names, expected) => {
    const tools = await serve({
      addFriend: async () => ({ summary: 'Done', status, nametag, ...names }),
    });
    const answer = await call(tools, 'friend_add', { nametag });
    expect(answer).toEqual({ summary: 'Done', nametag, ...expected });
  });

  it('fails rather than tell a status that it has no word for', async () => {
    const status = AddFriendStatus.UNSPECIFIED;
    const tools = await serve({
      addFriend: async () => ({ summary: 'Done', status, nametag, ...noShare }),
    });
    await expect(call(tools, 'friend_add', { nametag })).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });
});

describe('friend_remove', () => {
  it.each([
    [RemovalStatus.REMOVED, noShare, { status: 'removed' }],
    [RemovalStatus.REJECTED, noShare, { status: 'rejected' }],
    [RemovalStatus.CANCELED, noShare, { status: 'canceled' }],
    [RemovalStatus.REMOVED, share, { status: 'removed', ...share }],
  ])('tells %s in words', async (status, names, expected) => {
    const tools = await serve({
      removeFriend: async () => ({ summary: 'Done', status, nametag, ...names }),
    });
    const answer = await call(tools, 'friend_remove', { nametag });
    expect(answer).toEqual({ summary: 'Done', nametag, ...expected });
  });
});

describe('friend_send', () => {
  it('counts the agents that have led to it, and is refused when there are too many', async () => {
    const seen: unknown[] = [];
    const tools = await serve({
      async sendFriendMessage(_, { caller }) {
        seen.push(caller);
        return { summary: 'Sent', nametag, messageId: 'm1' };
      },
    });
    const args = JSON.stringify({ nametag, message: 'hi' });
    const send = (hops: number) =>
      tools.call('friend_send', args, { ...testContext(testAgent()), hops });
    await send(15);
    await expect(send(16)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(seen).toMatchObject([{ hops: 16 }]);
  });

  it('hands the text on as it is and returns the id of the message', async () => {
    const seen: unknown[] = [];
    const tools = await serve({
      async sendFriendMessage(request) {
        seen.push(request);
        return { summary: 'Message sent to swiftfox42', nametag, messageId: 'm1' };
      },
    });
    const message = ' <system_message>\nhi 🦊 ';
    const answer = await call(tools, 'friend_send', { nametag, message });
    expect(answer).toEqual({ summary: 'Message sent to swiftfox42', nametag, messageId: 'm1' });
    expect(seen).toEqual([{ requestId: 'request1', nametag, message }]);
  });

  it('is cut off together with the turn', async () => {
    let isHungUp = false;
    let hasBegun = false;
    const tools = await serve({
      sendFriendMessage: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          hasBegun = true;
          signal.addEventListener('abort', () => {
            isHungUp = true;
            reject(new Error('the caller is gone'));
          });
        }),
    });
    const turn = new AbortController();
    const context = testContext(testAgent(), { signal: turn.signal });
    const args = JSON.stringify({ nametag, message: 'hi' });
    const sent = tools.answer('friend_send', args, context).catch((error: unknown) => error);
    await eventually(() => hasBegun);
    turn.abort();
    await expect(sent).resolves.toMatchObject({ code: 'CANCELLED' });
    await eventually(() => isHungUp);
  });
});

describe('sharing a subuser', () => {
  const names = { friendNametag: nametag, subuserId: 'sub1' };

  it.each([
    [ShareStatus.PENDING, 'pending'],
    [ShareStatus.ACTIVE, 'active'],
  ])('tells %s in words', async (status, word) => {
    const seen: unknown[] = [];
    const tools = await serve({
      async shareSubuser(request) {
        seen.push(request);
        return { summary: 'Done', status, nametag, ...share };
      },
    });
    const answer = await call(tools, 'friend_share_subuser', names);
    expect(answer).toEqual({ summary: 'Done', status: word, nametag, ...share });
    expect(seen).toEqual([{ requestId: 'request1', ...names }]);
  });

  it('ends with friend_unshare_subuser', async () => {
    const summary = 'Revoked subuser share from swiftfox42';
    const status = RemovalStatus.REMOVED;
    const tools = await serve({
      unshareSubuser: async () => ({ summary, status, nametag, ...share }),
    });
    const answer = await call(tools, 'friend_unshare_subuser', names);
    expect(answer).toEqual({ summary, status: 'removed', nametag, ...share });
  });
});

describe('blocking', () => {
  it('is told in one sentence', async () => {
    const tools = await serve({
      blockUser: async () => ({ summary: 'Blocked swiftfox42', nametag }),
      unblockUser: async () => ({ summary: 'Unblocked swiftfox42', nametag }),
    });
    const blocked = await call(tools, 'friend_block', { nametag });
    expect(blocked).toEqual({ summary: 'Blocked swiftfox42', nametag });
    const unblocked = await call(tools, 'friend_unblock', { nametag });
    expect(unblocked).toEqual({ summary: 'Unblocked swiftfox42', nametag });
  });
});

describe('a refusal', () => {
  const ofSubuser = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
  const argumentsOf = {
    friend_add: { nametag },
    friend_block: { nametag },
    friend_list: {},
    friend_remove: { nametag },
    friend_send: { nametag, message: 'hi' },
    friend_share_subuser: { friendNametag: nametag, subuserId: 'sub1' },
    friend_unblock: { nametag },
    friend_unshare_subuser: { friendNametag: nametag, subuserId: 'sub1' },
  };

  it('awaits an agent of a subuser at every friend tool, none of which it is told of', async () => {
    const tools = await serve({});
    expect(tools.list(ofSubuser)).toEqual([]);
    expect(tools.list(testAgent()).map(({ name }) => name)).toEqual(Object.keys(argumentsOf));
    for (const [name, args] of Object.entries(argumentsOf))
      await expect(call(tools, name, args, ofSubuser)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
  });

  it('of social-graph reaches the model in its own words', async () => {
    const refusal = new AppError('FAILED_PRECONDITION', 'You may ask again on 2026-11-22');
    const tools = await serve({ addFriend: () => Promise.reject(refusal) });
    const context = testContext(testAgent());
    const outcome = await tools.answer('friend_add', JSON.stringify({ nametag }), context);
    expect(outcome.isError).toBe(true);
    expect(JSON.parse(outcome.resultJson)).toEqual({
      error: { code: 'FAILED_PRECONDITION', message: 'You may ask again on 2026-11-22' },
    });
  });

  it('of this service itself is no fault of the agent', async () => {
    const tools = await serve({}, () => {
      throw new AppError('UNAUTHENTICATED', 'The token does not hold');
    });
    await expect(call(tools, 'friend_add', { nametag })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
