import { afterEach, describe, expect, it } from '@jest/globals';
import { testWiring } from '../test-support/test-facts';
import type { OwnerHandlers, OwnerName, TestOwners } from '../test-support/test-owners';
import { startTestOwners } from '../test-support/test-owners';
import { makeWorld, owner, type SeenRequests, type WorldSize } from '../test-support/test-world';
import { makeGetTopology, type GetTopologyCall, type TopologyPage } from './get-topology';

let started: TestOwners[] = [];
afterEach(async () => {
  await Promise.all(started.map((owners) => owners.close()));
  started = [];
});

const small: WorldSize = { subusers: 1, friends: 1, agents: 2 };

interface Stage {
  readonly test: TestOwners;
  readonly seen: SeenRequests;
  readonly downs: string[];
  readonly get: (call?: Partial<GetTopologyCall>) => Promise<TopologyPage>;
}

async function open(
  size: WorldSize,
  change: (handlers: OwnerHandlers) => OwnerHandlers = (handlers) => handlers,
  digests = { friends: '', scope: '' },
): Promise<Stage> {
  const { handlers, seen } = makeWorld(size, digests);
  const test = await startTestOwners(change(handlers));
  started.push(test);
  const downs: string[] = [];
  const reportDown = (name: string): number => downs.push(name);
  const getTopology = makeGetTopology({
    owners: test.owners,
    listWiring: async () => testWiring(),
    now: () => new Date(),
    reportDown,
  });
  const get = (call: Partial<GetTopologyCall> = {}): Promise<TopologyPage> =>
    getTopology({
      viewer: owner,
      pageSize: 0,
      pageToken: '',
      includeDead: false,
      deadline: Date.now() + 5_000,
      signal: new AbortController().signal,
      ...call,
    });
  return { test, seen, downs, get };
}

const statusesOf = ({ view }: TopologyPage) => ({
  agents: view.agents.status,
  crons: view.crons.status,
  heartbeats: view.heartbeats.status,
  subusers: view.subusers?.status,
  friends: view.friends?.status,
  requests: view.requests?.status,
});

const allWell = {
  agents: 'available',
  crons: 'available',
  heartbeats: 'available',
  subusers: 'available',
  friends: 'available',
  requests: 'available',
};

describe('the calls that a view takes', () => {
  const each = { GetUser: 1, ListSubusers: 1, ListFriends: 1, ListScope: 1 };

  it.each([
    { subusers: 0, friends: 0, agents: 0 },
    small,
    { subusers: 100, friends: 500, agents: 1 },
    { subusers: 100, friends: 500, agents: 30 },
  ])('are the same four for %p', async (size) => {
    const { test, get } = await open(size);
    const { view, text } = await get();
    expect(test.takeCalls()).toEqual(each);
    expect(view.subusers?.count).toBe(size.subusers);
    expect(view.friends?.count).toBe(size.friends);
    expect(view.agents.count).toBe((size.subusers + 1) * size.agents);
    expect(text).toContain(`## Friends (${size.friends})`);
    expect(statusesOf(await get())).toEqual(allWell);
    expect(test.takeCalls()).toEqual({ ListSubusers: 1, ListFriends: 1, ListScope: 1 });
  });

  it('are made for the viewer, and agent-runtime is asked for no more than the viewer may see', async () => {
    const { seen, get } = await open(small);
    await get({ viewer: { ...owner, agentId: 'u1a0' }, includeDead: true });
    const viewer = { userId: 'u1', agentId: 'u1a0', parentUserId: undefined };
    expect(seen.viewers).toEqual([viewer, viewer]);
    expect(seen.scopes).toEqual([
      {
        userIds: ['u1', 's0'],
        gatewayUserIds: ['s0', 'f0'],
        includeDead: true,
        pageSize: 1_000,
        pageToken: '',
      },
    ]);
  });

  it('are two for a subuser, who is shown its own and has no sections of people', async () => {
    const { test, seen, get } = await open(small);
    const { view, text } = await get({ viewer: { userId: 's0', parentUserId: 'u1' } });
    expect(test.takeCalls()).toEqual({ GetUser: 1, ListScope: 1 });
    expect(seen.scopes).toMatchObject([{ userIds: ['s0'], gatewayUserIds: [] }]);
    expect(view.agents.entries.map(({ userId }) => userId)).toEqual(['s0', 's0']);
    expect([view.subusers, view.friends, view.requests]).toEqual([undefined, undefined, undefined]);
    expect(text).not.toMatch(/Subusers|Friend/);
  });
});

describe('a view with everything', () => {
  it('shows gateways of subusers and of what is shared', async () => {
    const { get } = await open(small);
    const { view, text, nextPageToken } = await get({ viewer: { ...owner, agentId: 'u1a1' } });
    expect(view.subusers?.entries).toEqual([
      {
        id: 's0',
        name: 'Name of s0',
        nametag: 'coolcat0',
        gateway: { agentId: 'gws0', lifecycle: 'sleeping' },
      },
    ]);
    expect(text).toMatch(
      /^You are swiftfox42 \(user u1, agent u1a1\)\n\n## Agents \(4\)\nu1a1 \(You\)/,
    );
    expect(text).toContain(
      'quickowl0\n  <- shared in: cook (nametag=smartowl0) gateway=gwf0 status=active\n',
    );
    expect(nextPageToken).toBe('');
  });

  it('is not there for a user who is gone', async () => {
    const { get } = await open(small);
    await expect(get({ viewer: { userId: 'gone1' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('pages', () => {
  it.each([100, 1_000])(
    'of %p hold every agent and friend once, whatever their number',
    async (size) => {
      const { test, get } = await open({ subusers: 2, friends: 1_100, agents: 400 });
      const agents: string[] = [];
      const friends: string[] = [];
      const revisions = new Set<string>();
      let pageToken = '';
      let pages = 0;
      do {
        const page = await get({ pageSize: size, pageToken });
        agents.push(...page.view.agents.entries.map(({ id }) => id));
        friends.push(...(page.view.friends?.entries.map(({ nametag }) => nametag) ?? []));
        revisions.add(page.revision);
        expect(page.text === '').toBe(pageToken !== '');
        expect([page.view.agents.count, page.view.friends?.count]).toEqual([1_200, 1_100]);
        const { ListFriends = 0, ListScope = 0 } = test.takeCalls();
        expect(Math.max(ListFriends, ListScope)).toBeLessThanOrEqual(2);
        pageToken = page.nextPageToken;
        pages += 1;
      } while (pageToken !== '');
      expect(pages).toBe(Math.ceil(1_200 / size));
      expect([agents.length, new Set(agents).size]).toEqual([1_200, 1_200]);
      expect([friends.length, new Set(friends).size]).toEqual([1_100, 1_100]);
      expect(revisions.size).toBe(1);
    },
  );

  it('are refused for tokens and sizes that cannot be', async () => {
    const { test, get } = await open(small);
    await expect(get({ pageToken: 'nonsense' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field: 'page_token' }] },
    });
    await expect(get({ pageSize: 1_001 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(test.takeCalls()).toEqual({});
  });
});

describe('the revision', () => {
  it('stays while nothing changes and differs when something does', async () => {
    const [one, other] = await Promise.all([open(small), open({ ...small, agents: 3 })]);
    const { revision } = await one.get();
    expect((await one.get({ pageSize: 1 })).revision).toBe(revision);
    expect((await other.get()).revision).not.toBe(revision);
  });

  it.each(['friends', 'scope'] as const)(
    'differs when something of %s does that does not fit into the owner’s first answer',
    async (name) => {
      const digests = { friends: '1', scope: '1' };
      const size = { subusers: 0, friends: 1_001, agents: 1_001 };
      const { get } = await open(size, undefined, digests);
      const { revision, nextPageToken } = await get({ pageSize: 1_000 });
      expect((await get({ pageSize: 1_000, pageToken: nextPageToken })).revision).toBe(revision);
      digests[name] = '2';
      expect((await get()).revision).not.toBe(revision);
    },
  );
});

describe('an owner that is down', () => {
  const expected: Record<OwnerName, Partial<typeof allWell>> = {
    identity: {
      agents: 'partial',
      crons: 'partial',
      heartbeats: 'partial',
      subusers: 'unavailable',
    },
    socialGraph: { friends: 'unavailable', requests: 'unavailable' },
    agentRuntime: {
      agents: 'unavailable',
      crons: 'unavailable',
      heartbeats: 'unavailable',
      subusers: 'partial',
      friends: 'partial',
    },
  };
  const owners = ['identity', 'socialGraph', 'agentRuntime'] as const;
  const never = (): Promise<never> => new Promise(() => undefined);
  const silent: Record<OwnerName, (handlers: OwnerHandlers) => OwnerHandlers> = {
    identity: (all) => ({ ...all, identity: { getUser: never, listSubusers: never } }),
    socialGraph: (all) => ({ ...all, socialGraph: { listFriends: never } }),
    agentRuntime: (all) => ({ ...all, agentRuntime: { listScope: never } }),
  };

  it.each(owners)('%s: its sections say so and the rest is answered in time', async (name) => {
    const { test, get, seen, downs } = await open(small);
    await test.stop(name);
    const startedAt = Date.now();
    const page = await get();
    expect(Date.now() - startedAt).toBeLessThan(4_000);
    expect(statusesOf(page)).toEqual({ ...allWell, ...expected[name] });
    expect(downs.length).toBeGreaterThan(0);
    expect(page.text).toContain('Unavailable at the moment; try again');
    expect(page.text.startsWith('You are ')).toBe(true);
    if (name === 'identity') expect(seen.scopes[0]?.userIds).toEqual(['u1']);
  });

  it.each(owners)(
    '%s, which takes calls but is silent, does not use up the caller’s time',
    async (name) => {
      const { get } = await open(small, silent[name]);
      const deadline = Date.now() + 2_000;
      const page = await get({ deadline });
      expect(Date.now()).toBeLessThan(deadline);
      expect(statusesOf(page)).toEqual({ ...allWell, ...expected[name] });
    },
  );

  it('is remembered by its nametags', async () => {
    const { test, get } = await open(small);
    await get();
    await test.stop('identity');
    expect((await get()).text).toMatch(/^You are swiftfox42 \(user u1\)/);
  });

  it('is no excuse when all three are down: every section says so', async () => {
    const { test, get } = await open(small);
    await Promise.all(owners.map((name) => test.stop(name)));
    const { text } = await get();
    expect(text.match(/Unavailable at the moment/g)).toHaveLength(6);
  });

  it('is told from one that refuses: that is an error', async () => {
    const { get } = await open(small, (all) => ({ ...all, socialGraph: {} }));
    await expect(get()).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
  });
});
