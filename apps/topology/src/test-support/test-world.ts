import { createHash } from 'node:crypto';
import {
  AgentLifecycle,
  DescriptorKind,
  type AgentSummary,
  type GatewayAgent,
  type ListScopeRequest,
} from '@daycare/contracts/agent-runtime';
import type { User } from '@daycare/contracts/identity';
import {
  ListFriendsResponse,
  ShareStatus,
  TieState,
  type Friend,
  type Share,
} from '@daycare/contracts/social-graph';
import { invalidField, notFound } from '@daycare/api';
import type { CallContext } from '@daycare/rpc';
import { makeMany } from './test-facts';
import type { SourceHandlers } from './test-sources';

export interface WorldSize {
  readonly subusers: number;
  readonly friends: number;
  /** Per user. */
  readonly agents: number;
  /** The time until the next agent falls asleep; 0, the default, if none will. */
  readonly changesInMs?: number;
}

/** The requests that the servers received, in order. */
export interface ReceivedRequests {
  readonly scopes: ListScopeRequest[];
  /** On whose behalf ListSubusers and ListFriends were called. */
  readonly viewers: unknown[];
}

export const owner = { userId: 'u1' };

/** What the world consists of; tests may change it between two calls. */
export interface WorldState {
  subusers: User[];
  friends: Friend[];
  /** Per user. */
  agents: number;
}

/** Handlers for a world with one user, its subusers, and its friends, who each share a subuser with it. */
export function makeWorld(
  { subusers, friends, agents, changesInMs = 0 }: WorldSize,
  digests = { friends: '', scope: '' },
): {
  readonly handlers: SourceHandlers;
  readonly received: ReceivedRequests;
  readonly state: WorldState;
} {
  const received: ReceivedRequests = { scopes: [], viewers: [] };
  const state: WorldState = {
    subusers: makeMany(subusers, (index) => userOf(`s${index}`, `coolcat${index}`, 'u1')),
    friends: makeMany(friends, friendOf),
    agents,
  };
  return {
    received,
    state,
    handlers: {
      identity: {
        getUser: async ({ userId }) => {
          const users = [userOf('u1', 'swiftfox42', ''), ...state.subusers];
          const user = users.find(({ id }) => id === userId);
          if (!user) throw notFound('user');
          return { user };
        },
        listSubusers: async ({ pageSize, pageToken, knownDigest }, context) => {
          received.viewers.push(viewerOf(context));
          const digest = hashOf(state.subusers);
          if (digest === knownDigest) return { ...noSubusers, digest, unchanged: true };
          const { page, nextPageToken } = pageOf(state.subusers, pageSize, pageToken);
          return { subusers: page, nextPageToken, digest, unchanged: false };
        },
      },
      socialGraph: {
        listFriends: async ({ pageSize, pageToken, knownDigest }, context) => {
          received.viewers.push(viewerOf(context));
          const digest = `${digests.friends}-${hashOf(state.friends)}`;
          if (digest === knownDigest) return { ...noFriends, digest, unchanged: true };
          const { page, nextPageToken } = pageOf(state.friends, pageSize, pageToken);
          const since = new Date('2026-11-15T10:00:00Z');
          const requests = [{ nametag: 'lazydog55', state: TieState.PENDING_IN, since }];
          return {
            friends: page,
            requests: pageToken === '' ? requests : [],
            blocks: [],
            friendCount: state.friends.length,
            requestCount: 1,
            blockCount: 0,
            nextPageToken,
            digest,
            unchanged: false,
          };
        },
      },
      agentRuntime: {
        listScope: async (request) => {
          received.scopes.push(request);
          const { userIds, gatewayUserIds, pageSize, pageToken } = request;
          const all = userIds.flatMap((userId) =>
            makeMany(state.agents, (n) => agentOf(userId, n)),
          );
          const digest = `${digests.scope}-${hashOf([all, gatewayUserIds])}`;
          if (digest === request.knownDigest)
            return { ...noScope, digest, changesInMs, unchanged: true };
          const { page, nextPageToken } = pageOf(all, pageSize, pageToken);
          return {
            ...noScope,
            agents: page,
            agentCount: all.length,
            gateways: gatewayUserIds.map(gatewayOf),
            nextPageToken,
            digest,
            listDigest: digests.scope,
            changesInMs,
          };
        },
      },
    },
  };
}

const noSubusers = { subusers: [], nextPageToken: '' };
const noFriends = ListFriendsResponse.fromPartial({});
const noScope = {
  agents: [],
  agentCount: 0,
  gateways: [],
  crons: [],
  cronCount: 0,
  heartbeats: [],
  heartbeatCount: 0,
  nextPageToken: '',
  listDigest: '',
  unchanged: false,
};

function hashOf(facts: unknown): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 12);
}

function pageOf<T>(all: readonly T[], pageSize: number, pageToken: string) {
  const from = Number(pageToken);
  if (Number.isNaN(from)) throw invalidField('page_token', 'is invalid');
  const end = from + pageSize;
  return { page: all.slice(from, end), nextPageToken: end < all.length ? String(end) : '' };
}

function viewerOf({ caller }: CallContext): unknown {
  if (caller.kind !== 'user') return caller;
  const { userId, agentId, parentUserId } = caller;
  return { userId, agentId, parentUserId };
}

function userOf(id: string, nametag: string, parentUserId: string): User {
  return { id, nametag, name: `Name of ${id}`, parentUserId, description: '', timeZone: '' };
}

export function friendOf(index: number): Friend {
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
