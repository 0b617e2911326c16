import type { AgentSummary, ListScopeResponse } from '@daycare/contracts/agent-runtime';
import type {
  Friend,
  FriendRequest,
  ListFriendsResponse,
  Share,
} from '@daycare/contracts/social-graph';
import type {
  FriendFacts,
  ScopeFacts,
  SeenAgent,
  SeenFriend,
  SeenRequest,
  SeenShare,
} from '../domain/facts';
import { kinds, lifecycles, requestStates, shareStatuses, wordOf } from './fact-words';

export function readScope(answer: ListScopeResponse): ScopeFacts {
  const { agents, crons, heartbeats, gateways, nextPageToken, digest, changesInMs } = answer;
  return {
    agents: { entries: agents.map(readAgent), count: answer.agentCount },
    crons: { entries: crons, count: answer.cronCount },
    heartbeats: { entries: heartbeats, count: answer.heartbeatCount },
    gateways: new Map(
      gateways.map(({ userId, agentId, lifecycle }) => [
        userId,
        { agentId, lifecycle: wordOf(lifecycles, lifecycle) },
      ]),
    ),
    nextPageToken,
    digest,
    changesInMs,
  };
}

/** The answer to a request for pages of that size. */
export function readFriends(answer: ListFriendsResponse, pageSize: number): FriendFacts {
  const { friends, requests, friendCount, requestCount, nextPageToken } = answer;
  // Blocks, which are not shown, may go on where these lists have ended.
  const isMore = Math.max(friends.length, requests.length) >= pageSize;
  return {
    friends: { entries: friends.map(readFriend), count: friendCount },
    requests: { entries: requests.map(readRequest), count: requestCount },
    nextPageToken: isMore ? nextPageToken : '',
    digest: isMore ? answer.digest : '',
  };
}

function readAgent({ id, userId, kind, label, lifecycle }: AgentSummary): SeenAgent {
  const words = { kind: wordOf(kinds, kind), lifecycle: wordOf(lifecycles, lifecycle) };
  return { id, userId, label, ...words };
}

function readFriend({ nametag, sharesOut, sharesIn }: Friend): SeenFriend {
  return { nametag, sharesOut: sharesOut.map(readShare), sharesIn: sharesIn.map(readShare) };
}

function readShare({ status, ...share }: Share): SeenShare {
  return { ...share, status: wordOf(shareStatuses, status) };
}

function readRequest({ nametag, state, since = new Date(0) }: FriendRequest): SeenRequest {
  return { nametag, state: wordOf(requestStates, state), since };
}
