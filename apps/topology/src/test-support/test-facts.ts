import type {
  FriendFacts,
  Listed,
  ScopeFacts,
  SeenAgent,
  SeenFriend,
  SeenRequest,
  SeenShare,
} from '../domain/facts';
import { scopeOf } from '../domain/scope';
import { composeView, type Facts, type Self, type TopologyView } from '../domain/topology-view';

export const listed = <T>(entries: readonly T[], count = entries.length): Listed<T> => ({
  entries,
  count,
});

export const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export function testAgent(changes: Partial<SeenAgent> = {}): SeenAgent {
  return { id: 'a1', userId: 'u1', kind: 'user', label: 'cli:me', lifecycle: 'active', ...changes };
}

export function testShare(changes: Partial<SeenShare> = {}): SeenShare {
  return {
    subuserId: 's1',
    subuserNametag: 'coolcat11',
    subuserName: 'helper',
    subuserDescription: 'Helps',
    status: 'active',
    ...changes,
  };
}

export function testFriend(changes: Partial<SeenFriend> = {}): SeenFriend {
  return { nametag: 'happypenguin7', sharesOut: [], sharesIn: [], ...changes };
}

export function testFriends(
  friends: readonly SeenFriend[] = [],
  requests: readonly SeenRequest[] = [],
): FriendFacts {
  return { friends: listed(friends), requests: listed(requests), nextPageToken: '' };
}

export function testScope(changes: Partial<ScopeFacts> = {}): ScopeFacts {
  const none = listed<never>([]);
  const lists = { agents: none, crons: none, heartbeats: none };
  return { ...lists, gateways: new Map(), nextPageToken: '', ...changes };
}

/** An owner that is left out has nothing to tell; one that is undefined is down. */
export function testView(self: Self, told: Partial<Facts> = {}): TopologyView {
  const nothing = {
    subusers: { subusers: [], isCut: false },
    friends: testFriends(),
    scope: testScope(),
  };
  const facts = { ...nothing, ...told };
  const scope = scopeOf(self, { subusers: facts.subusers, friends: [facts.friends] });
  return composeView(self, facts, scope);
}
