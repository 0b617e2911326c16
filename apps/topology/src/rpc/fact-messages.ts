import {
  AgentLifecycle,
  DescriptorKind,
  type AgentSummary,
  type ListScopeResponse,
} from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { wordOf } from '@daycare/contracts/enum-words';
import {
  ShareStatus,
  TieState,
  type Friend as FriendMessage,
  type FriendRequest as FriendRequestMessage,
  type ListFriendsResponse,
  type Share as ShareMessage,
} from '@daycare/contracts/social-graph';
import type {
  Agent,
  Friend,
  FriendFacts,
  FriendRequest,
  ScopeFacts,
  Share,
} from '../domain/view/facts';
import type { Authored } from '../domain/viewer';
import { readCron, readHeartbeat } from './schedule-facts';

export function readScope(response: ListScopeResponse): ScopeFacts {
  const { agents, crons, heartbeats, gateways } = response;
  const { nextPageToken, digest, listDigest, changesInMs } = response;
  return {
    agents: { entries: agents.map(readAgent), count: response.agentCount },
    crons: {
      entries: crons.map((cron) => readCron(readAuthored(cron))),
      count: response.cronCount,
    },
    heartbeats: {
      entries: heartbeats.map((each) => readHeartbeat(readAuthored(each))),
      count: response.heartbeatCount,
    },
    gateways: new Map(
      gateways.map(({ userId, agentId, lifecycle, writtenBy }) => [
        userId,
        readAuthored({ agentId, lifecycle: wordOf(AgentLifecycle, lifecycle), writtenBy }),
      ]),
    ),
    nextPageToken,
    digest,
    listDigest,
    changesInMs,
  };
}

export function readFriends(response: ListFriendsResponse): FriendFacts {
  const { friends, requests, friendCount, requestCount, nextPageToken } = response;
  // The page token also covers blocks, which are not shown: after an empty page, later ones have nothing to show either.
  const hasMore = friends.length + requests.length > 0;
  return {
    friends: { entries: friends.map(readFriend), count: friendCount },
    requests: { entries: requests.map(readRequest), count: requestCount },
    nextPageToken: hasMore ? nextPageToken : '',
    digest: response.digest,
  };
}

/** Lists the fields explicitly, because views have thousands of agents and object rest syntax is slow. */
function readAgent({
  id,
  userId,
  kind,
  label,
  lifecycle,
  waiting,
  writtenBy,
}: AgentSummary): Agent {
  const agent = {
    id,
    userId,
    kind: wordOf(DescriptorKind, kind),
    label,
    lifecycle: wordOf(AgentLifecycle, lifecycle),
  };
  if (!waiting?.until && writtenBy === undefined) return agent;
  return {
    ...agent,
    ...(waiting?.until ? { waiting: { for: waiting.for, until: waiting.until } } : {}),
    ...(writtenBy === undefined ? {} : { writtenBy: wordOf(Trust, writtenBy) }),
  };
}

function readAuthored<T extends { readonly writtenBy?: Trust | undefined }>({
  writtenBy,
  ...rest
}: T): Omit<T, 'writtenBy'> & Authored {
  return writtenBy === undefined ? rest : { ...rest, writtenBy: wordOf(Trust, writtenBy) };
}

function readFriend({ nametag, sharesOut, sharesIn }: FriendMessage): Friend {
  return { nametag, sharesOut: sharesOut.map(readShare), sharesIn: sharesIn.map(readShare) };
}

function readShare(share: ShareMessage): Share {
  return {
    subuserId: share.subuserId,
    subuserNametag: share.subuserNametag,
    subuserName: share.subuserName,
    subuserDescription: share.subuserDescription,
    status: wordOf(ShareStatus, share.status),
    offeredAt: share.offeredAt,
    acceptedAt: share.acceptedAt,
    gateway: 'unknown',
  };
}

function readRequest({ nametag, state, since = new Date(0) }: FriendRequestMessage): FriendRequest {
  return { nametag, state: readRequestState(state), since };
}

function readRequestState(state: TieState): FriendRequest['state'] {
  if (state === TieState.PENDING_IN) return 'pending_in';
  if (state === TieState.PENDING_OUT) return 'pending_out';
  throw new Error(`a friend request cannot be in state ${state}`);
}
