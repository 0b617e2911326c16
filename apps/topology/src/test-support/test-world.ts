import {
  AgentLifecycle,
  DescriptorKind,
  type AgentSummary,
  type GatewayAgent,
  type ListScopeRequest,
} from '@daycare/contracts/agent-runtime';
import type { User } from '@daycare/contracts/identity';
import { ShareStatus, TieState, type Friend, type Share } from '@daycare/contracts/social-graph';
import { AppError, notFound } from '@daycare/errors';
import type { CallContext } from '@daycare/rpc';
import { numbered } from './test-facts';
import type { OwnerHandlers } from './test-owners';

export interface WorldSize {
  readonly subusers: number;
  readonly friends: number;
  /** Of each user. */
  readonly agents: number;
  /** When one of them falls asleep; never unless told. */
  readonly changesInMs?: number;
}

/** What the owners were asked for, in order. */
export interface SeenRequests {
  readonly scopes: ListScopeRequest[];
  readonly viewers: unknown[];
}

export const owner = { userId: 'u1' };

/** The owners of a world with one user, its subusers and its friends, each of whom shares a subuser. */
export function makeWorld(
  { subusers, friends, agents, changesInMs = 0 }: WorldSize,
  digests = { friends: '', scope: '' },
): {
  readonly handlers: OwnerHandlers;
  readonly seen: SeenRequests;
} {
  const seen: SeenRequests = { scopes: [], viewers: [] };
  const helpers = numbered(subusers, (index) => userOf(`s${index}`, `coolcat${index}`, 'u1'));
  const people = numbered(friends, friendOf);
  return {
    seen,
    handlers: {
      identity: {
        getUser: async ({ userId }) => {
          const known = [userOf('u1', 'swiftfox42', ''), ...helpers];
          const user = known.find(({ id }) => id === userId);
          if (!user) throw notFound('User');
          return { user };
        },
        listSubusers: async ({ pageSize, pageToken }, context) => {
          seen.viewers.push(viewerOf(context));
          const { page, nextPageToken } = pageOf(helpers, pageSize, pageToken);
          return { subusers: page, nextPageToken };
        },
      },
      socialGraph: {
        listFriends: async ({ pageSize, pageToken }, context) => {
          seen.viewers.push(viewerOf(context));
          const { page, nextPageToken } = pageOf(people, pageSize, pageToken);
          const since = new Date('2026-11-15T10:00:00Z');
          const requests = [{ nametag: 'lazydog55', state: TieState.PENDING_IN, since }];
          return {
            friends: page,
            requests: pageToken === '' ? requests : [],
            blocks: [],
            friendCount: people.length,
            requestCount: 1,
            blockCount: 0,
            nextPageToken,
            digest: nextPageToken === '' ? '' : digests.friends,
          };
        },
      },
      agentRuntime: {
        listScope: async (request) => {
          seen.scopes.push(request);
          const { userIds, gatewayUserIds, pageSize, pageToken } = request;
          const all = userIds.flatMap((userId) => numbered(agents, (n) => agentOf(userId, n)));
          const { page, nextPageToken } = pageOf(all, pageSize, pageToken);
          return {
            agents: page,
            agentCount: all.length,
            gateways: gatewayUserIds.map(gatewayOf),
            nextPageToken,
            crons: [],
            cronCount: 0,
            heartbeats: [],
            heartbeatCount: 0,
            digest: nextPageToken === '' ? '' : digests.scope,
            changesInMs,
          };
        },
      },
    },
  };
}

function pageOf<T>(all: readonly T[], pageSize: number, pageToken: string) {
  const from = Number(pageToken);
  if (Number.isNaN(from)) throw new AppError('INVALID_ARGUMENT', 'page_token is not ours');
  const end = from + pageSize;
  return { page: all.slice(from, end), nextPageToken: end < all.length ? String(end) : '' };
}

function viewerOf({ caller }: CallContext): unknown {
  if (caller.kind !== 'user') return caller;
  const { userId, agentId, parentUserId } = caller;
  return { userId, agentId, parentUserId };
}

function userOf(id: string, nametag: string, parentUserId: string): User {
  return { id, nametag, name: `Name of ${id}`, parentUserId, description: '' };
}

function friendOf(index: number): Friend {
  const sharesIn = [shareOf(`f${index}`)];
  return { nametag: `quickowl${index}`, sharesOut: [], sharesIn };
}

function shareOf(subuserId: string): Share {
  return {
    subuserId,
    subuserNametag: `smartowl${subuserId.slice(1)}`,
    subuserName: 'cook',
    subuserDescription: '',
    status: ShareStatus.ACTIVE,
  };
}

function agentOf(userId: string, index: number): AgentSummary {
  return {
    id: `${userId}a${index}`,
    userId,
    kind: DescriptorKind.USER,
    label: 'cli:me',
    lifecycle: AgentLifecycle.ACTIVE,
  };
}

function gatewayOf(userId: string): GatewayAgent {
  return { userId, agentId: `gw${userId}`, lifecycle: AgentLifecycle.SLEEPING };
}
