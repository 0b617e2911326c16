import type { Endpoint } from '../domain/endpoints/endpoint';
import type {
  FriendFacts,
  Listed,
  ScopeFacts,
  Agent,
  Friend,
  FriendRequest,
  Share,
  Subuser,
  SubuserFacts,
  WiringFacts,
} from '../domain/view/facts';
import { scopeOf } from '../domain/view/scope';
import {
  composeView,
  type Facts,
  type Self,
  type TopologyView,
} from '../domain/view/topology-view';

export const listed = <T>(entries: readonly T[], count = entries.length): Listed<T> => ({
  entries,
  count,
});

export const makeMany = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export function testAgent(changes: Partial<Agent> = {}): Agent {
  return { id: 'a1', userId: 'u1', kind: 'user', label: 'cli:me', lifecycle: 'active', ...changes };
}

export function testEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
  const at = new Date('2026-11-15T10:00:00Z');
  const target = { kind: 'port', port: 8_080 } as const;
  const settings = { name: 'site', target, mode: 'public', auth: 'password' } as const;
  return {
    id: 'e1',
    userId: 'u1',
    ownerUserId: 'u1',
    ...settings,
    version: 1,
    createdAt: at,
    updatedAt: at,
    ...changes,
  };
}

export function testShare(changes: Partial<Share> = {}): Share {
  return {
    subuserId: 's1',
    subuserNametag: 'coolcat11',
    subuserName: 'helper',
    subuserDescription: 'Helps',
    status: 'active',
    gateway: 'unknown',
    ...changes,
  };
}

export function testSubuser(changes: Partial<Subuser> = {}): Subuser {
  return { id: 's1', name: 'helper', nametag: 'coolcat11', gateway: 'unknown', ...changes };
}

export function testFriend(changes: Partial<Friend> = {}): Friend {
  return { nametag: 'happypenguin7', sharesOut: [], sharesIn: [], ...changes };
}

export function testFriends(
  friends: readonly Friend[] = [],
  requests: readonly FriendRequest[] = [],
): FriendFacts {
  return { friends: listed(friends), requests: listed(requests), nextPageToken: '', digest: '' };
}

export function testSubusers(subusers: readonly Subuser[] = [], isTruncated = false): SubuserFacts {
  return { subusers, isTruncated, digest: '' };
}

export function testScope(changes: Partial<ScopeFacts> = {}): ScopeFacts {
  const none = listed<never>([]);
  const lists = { agents: none, crons: none, heartbeats: none };
  return {
    ...lists,
    gateways: new Map(),
    nextPageToken: '',
    digest: '',
    listDigest: '',
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

/** A source that is left out has no entries; one that is undefined is unavailable. */
export function testView(self: Self, changes: Partial<Facts> = {}): TopologyView {
  const emptyFacts = {
    subusers: testSubusers(),
    friends: testFriends(),
    scope: testScope(),
    wiring: testWiring(),
  };
  const facts = { ...emptyFacts, ...changes };
  const scope = scopeOf(self, { subusers: facts.subusers, friends: [facts.friends] });
  return composeView(self, facts, scope);
}
