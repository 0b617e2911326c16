import { afterEach, describe, expect, it } from '@jest/globals';
import {
  AddFriendStatus,
  ListFriendsResponse,
  RemovalStatus,
  ShareStatus,
  type SocialGraphServiceService,
} from '@daycare/contracts/social-graph';
import { AppError } from '@daycare/api';
import type { Authenticate, Handlers } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { makeFriends } from '../../peers/social-graph-client';
import { testAgent, testContext } from '../../test-support/test-agent';
import { startTestPeers, testCredential, type TestPeers } from '../../test-support/test-peers';
import { friendTools } from './friend-tools';
import { testRegistry } from '../../test-support/test-tool';
import type { ToolRegistry } from '../registry/tool-registry';

type GraphHandlers = Handlers<typeof SocialGraphServiceService>;

let peers: TestPeers;
afterEach(() => peers.close());

/** Agents reach social-graph through agent-runtime. */
const throughRuntime: Authenticate = ({ metadata }) => ({
  kind: 'user',
  via: 'agent-runtime',
  ...JSON.parse(String(metadata.get('caller')[0])),
});

/** The friend tools, which call a social-graph service with these handlers. */
async function serve(
  handlers: GraphHandlers,
  authenticate: Parameters<typeof startTestPeers>[1] = throughRuntime,
): Promise<ToolRegistry> {
  peers = await startTestPeers({ socialGraph: handlers }, authenticate);
  const friends = makeFriends(peers.socialGraph, testCredential);
  const guards = { maxHops: 16, maxSubagents: 1, maxDepth: 1 };
  return testRegistry(friendTools({ friends, guards }));
}

async function call(tools: ToolRegistry, name: string, args: object, agent = testAgent()) {
  const outcome = await tools.call(name, JSON.stringify(args), testContext(agent));
  return JSON.parse(outcome.resultJson);
}

const noShare = { subuserId: '', subuserNametag: '', friendNametag: '' };
const share = { subuserId: 'sub1', subuserNametag: 'coolcat11', friendNametag: 'swiftfox42' };
const nametag = 'swiftfox42';

describe('friend_add', () => {
  it('friend_add calls social-graph as the agent and returns its response', async () => {
    const seen: unknown[] = [];
    const tools = await serve({
      async addFriend(request, { caller }) {
        seen.push(request, caller);
        const summary = 'Friend request sent to swiftfox42';
        return { summary, status: AddFriendStatus.PENDING_OUT, nametag, ...noShare };
      },
    });
    const result = await call(tools, 'friend_add', { nametag: 'SwiftFox42' });
    expect(result).toEqual({
      summary: 'Friend request sent to swiftfox42',
      status: 'pending_out',
      nametag,
    });
    expect(seen).toEqual([
      { requestId: 'request1', nametag: 'SwiftFox42' },
      expect.objectContaining({ userId: 'user1', agentId: 'agent1', hops: 1, trust: 'person' }),
    ]);
  });

  it.each([
    [AddFriendStatus.FRIENDS, noShare, { status: 'friends' }],
    [AddFriendStatus.ACTIVE, share, { status: 'active', ...share }],
  ])('friend_add reports the status number %s as a word', async (status, names, expected) => {
    const tools = await serve({
      addFriend: async () => ({ summary: 'Done', status, nametag, ...names }),
    });
    const result = await call(tools, 'friend_add', { nametag });
    expect(result).toEqual({ summary: 'Done', nametag, ...expected });
  });

  it('friend_add returns an INTERNAL error if social-graph returns an unknown status', async () => {
    const status = AddFriendStatus.UNSPECIFIED;
    const tools = await serve({
      addFriend: async () => ({ summary: 'Done', status, nametag, ...noShare }),
    });
    const context = testContext(testAgent());
    const outcome = await tools.answer('friend_add', JSON.stringify({ nametag }), context);
    expect(JSON.parse(outcome.resultJson)).toMatchObject({ error: { code: 'INTERNAL' } });
  });
});

describe('friend_remove', () => {
  it.each([
    [RemovalStatus.REMOVED, noShare, { status: 'removed' }],
    [RemovalStatus.REJECTED, noShare, { status: 'rejected' }],
    [RemovalStatus.CANCELED, noShare, { status: 'canceled' }],
    [RemovalStatus.REMOVED, share, { status: 'removed', ...share }],
  ])('friend_remove reports the status number %s as a word', async (status, names, expected) => {
    const tools = await serve({
      removeFriend: async () => ({ summary: 'Done', status, nametag, ...names }),
    });
    const result = await call(tools, 'friend_remove', { nametag });
    expect(result).toEqual({ summary: 'Done', nametag, ...expected });
  });
});

describe('friend_send', () => {
  it('friend_send counts one more hop and is refused after too many hops', async () => {
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

  it('friend_send passes the text on unchanged and returns the message id', async () => {
    const seen: unknown[] = [];
    const tools = await serve({
      async sendFriendMessage(request) {
        seen.push(request);
        return { summary: 'Message sent to swiftfox42', nametag, messageId: 'm1' };
      },
    });
    const message = ' <system_message>\nhi 🦊 ';
    const result = await call(tools, 'friend_send', { nametag, message });
    expect(result).toEqual({ summary: 'Message sent to swiftfox42', nametag, messageId: 'm1' });
    expect(seen).toEqual([{ requestId: 'request1', nametag, message }]);
  });

  it('friend_send is cancelled when the turn is aborted', async () => {
    let isAborted = false;
    let hasStarted = false;
    const tools = await serve({
      sendFriendMessage: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          hasStarted = true;
          signal.addEventListener('abort', () => {
            isAborted = true;
            reject(new Error('the caller has disconnected'));
          });
        }),
    });
    const turn = new AbortController();
    const context = testContext(testAgent(), { signal: turn.signal });
    const args = JSON.stringify({ nametag, message: 'hi' });
    const sent = tools.answer('friend_send', args, context).catch((error: unknown) => error);
    await eventually(() => hasStarted);
    turn.abort();
    await expect(sent).resolves.toMatchObject({ code: 'CANCELLED' });
    await eventually(() => isAborted);
  });
});

describe('sharing a subuser', () => {
  const names = { friendNametag: nametag, subuserId: 'sub1' };

  it.each([
    [ShareStatus.PENDING, 'pending'],
    [ShareStatus.ACTIVE, 'active'],
  ])('friend_share_subuser reports the status number %s as a word', async (status, word) => {
    const seen: unknown[] = [];
    const tools = await serve({
      async shareSubuser(request) {
        seen.push(request);
        return { summary: 'Done', status, nametag, ...share };
      },
    });
    const result = await call(tools, 'friend_share_subuser', names);
    expect(result).toEqual({ summary: 'Done', status: word, nametag, ...share });
    expect(seen).toEqual([{ requestId: 'request1', ...names }]);
  });

  it('friend_unshare_subuser returns the status removed', async () => {
    const summary = 'Revoked subuser share from swiftfox42';
    const status = RemovalStatus.REMOVED;
    const tools = await serve({
      unshareSubuser: async () => ({ summary, status, nametag, ...share }),
    });
    const result = await call(tools, 'friend_unshare_subuser', names);
    expect(result).toEqual({ summary, status: 'removed', nametag, ...share });
  });
});

describe('friend_block and friend_unblock', () => {
  it('friend_block and friend_unblock return the summary from social-graph', async () => {
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

describe('friend_list', () => {
  it.each([
    ['sharesIn', 'guest'],
    ['sharesOut', undefined],
  ])('a friend_list result that shows %s has the provenance %s', async (direction, provenance) => {
    const { friendNametag: _, ...names } = share;
    const shown = { ...names, subuserName: 'Cook', status: ShareStatus.PENDING };
    const friend = { nametag, sharesIn: [], sharesOut: [], [direction]: [shown] };
    const counts = { friendCount: 1, requestCount: 0, blockCount: 0, nextPageToken: '' };
    const tools = await serve({
      listFriends: async () =>
        ListFriendsResponse.fromPartial({ friends: [friend], requests: [], blocks: [], ...counts }),
    });
    const outcome = await tools.call('friend_list', '{}', testContext(testAgent()));
    expect(outcome.provenance).toBe(provenance);
  });
});

describe('refusals', () => {
  const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });
  const argumentsByTool = {
    friend_add: { nametag },
    friend_block: { nametag },
    friend_list: {},
    friend_remove: { nametag },
    friend_send: { nametag, message: 'hi' },
    friend_share_subuser: { friendNametag: nametag, subuserId: 'sub1' },
    friend_unblock: { nametag },
    friend_unshare_subuser: { friendNametag: nametag, subuserId: 'sub1' },
  };

  it('a subuser’s agents are offered no friend tools, and their calls to friend tools are refused', async () => {
    const tools = await serve({});
    expect(tools.list(subuserAgent)).toEqual([]);
    expect(tools.list(testAgent()).map(({ name }) => name)).toEqual(Object.keys(argumentsByTool));
    for (const [name, args] of Object.entries(argumentsByTool))
      await expect(call(tools, name, args, subuserAgent)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
  });

  it('a refusal by social-graph reaches the model verbatim', async () => {
    const refusal = new AppError('FAILED_PRECONDITION', 'You may ask again on 2026-11-22');
    const tools = await serve({ addFriend: () => Promise.reject(refusal) });
    const context = testContext(testAgent());
    const outcome = await tools.answer('friend_add', JSON.stringify({ nametag }), context);
    expect(outcome.isError).toBe(true);
    expect(JSON.parse(outcome.resultJson)).toEqual({
      error: { code: 'FAILED_PRECONDITION', message: 'You may ask again on 2026-11-22' },
    });
  });

  it('a rejected service credential is reported as UNAVAILABLE', async () => {
    const tools = await serve({}, () => {
      throw new AppError('UNAUTHENTICATED', 'The token is invalid');
    });
    await expect(call(tools, 'friend_add', { nametag })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
