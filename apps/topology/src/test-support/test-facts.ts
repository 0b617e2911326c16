import type { Endpoint } from '../domain/endpoint';
import type {
  FriendFacts,
  Listed,
  ScopeFacts,
  SeenAgent,
  SeenFriend,
  SeenRequest,
  SeenShare,
  WiringFacts,
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

export function testEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
  const at = new Date('2026-11-15T10:00:00Z');
  const target = { kind: 'port', port: 8_080 } as const;
  const settings = { name: 'site', target, mode: 'public', auth: 'password' } as const;
  return {
    id: 'e1',
    userId: 'u1',
    ...settings,
    version: 1,
    createdAt: at,
    updatedAt: at,
    ...changes,
  };
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
  return { friends: listed(friends), requests: listed(requests), nextPageToken: '', digest: '' };
}

export function testScope(changes: Partial<ScopeFacts> = {}): ScopeFacts {
  const none = listed<never>([]);
  const lists = { agents: none, crons: none, heartbeats: none };
  return {
    ...lists,
    gateways: new Map(),
    nextPageToken: '',
    digest: '',
    changesInMs: 0,
    ...changes,
  };
}

export function testWiring(changes: Partial<WiringFacts> = {}): WiringFacts {
  const none = listed<never>([]);
  return {
    subscriptions: none,
    channels: none,
    endpoints: none,
    nextPageToken: '',
    digest: '',
    ...changes,
  };
}

/** An owner that is left out has nothing to tell; one that is undefined is down. */
export function testView(self: Self, told: Partial<Facts> = {}): TopologyView {
  const nothing = {
    subusers: { subusers: [], isCut: false },
    friends: testFriends(),
    scope: testScope(),
    wiring: testWiring(),
  };
  const facts = { ...nothing, ...told };
  const scope = scopeOf(self, { subusers: facts.subusers, friends: [facts.friends] });
  return composeView(self, facts, scope);
}
