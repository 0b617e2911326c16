import { afterEach, describe, expect, it } from '@jest/globals';
import type { SourceHandlers, SourceName, TestSources } from '../../test-support/test-sources';
import { openTestViews, type PageWithView, type TestViews } from '../../test-support/test-views';
import { owner, type WorldSize } from '../../test-support/test-world';

let started: TestSources[] = [];
afterEach(async () => {
  await Promise.all(started.map((servers) => servers.close()));
  started = [];
});

const small: WorldSize = { subusers: 1, friends: 1, agents: 2 };

async function open(
  size: WorldSize,
  change?: (handlers: SourceHandlers) => SourceHandlers,
  digests?: { friends: string; scope: string },
): Promise<TestViews> {
  const views = await openTestViews(size, {
    ...(change && { change }),
    ...(digests && { digests }),
  });
  started.push(views.servers);
  return views;
}

const statusesOf = ({ view }: PageWithView) => ({
  agents: view.agents.status,
  crons: view.crons.status,
  heartbeats: view.heartbeats.status,
  subusers: view.subusers?.status,
  friends: view.friends?.status,
  requests: view.requests?.status,
});

const allAvailable = {
  agents: 'available',
  crons: 'available',
  heartbeats: 'available',
  subusers: 'available',
  friends: 'available',
  requests: 'available',
};

describe('the calls that compose a view', () => {
  const oneOfEach = { GetUser: 1, ListSubusers: 1, ListFriends: 1, ListScope: 1 };

  it.each([
    { subusers: 0, friends: 0, agents: 0 },
    small,
    { subusers: 100, friends: 500, agents: 1 },
    { subusers: 100, friends: 500, agents: 30 },
  ])('composing a first view takes the same four calls, whatever its size: %p', async (size) => {
    const { servers, get } = await open(size);
    const { view, text } = await get();
    expect(servers.takeCalls()).toEqual(oneOfEach);
    expect(view.subusers?.count).toBe(size.subusers);
    expect(view.friends?.count).toBe(size.friends);
    expect(view.agents.count).toBe((size.subusers + 1) * size.agents);
    expect(text).toContain(`## Friends (${size.friends})`);
    expect(statusesOf(await get())).toEqual(allAvailable);
    expect(servers.takeCalls()).toEqual({ ListSubusers: 1, ListFriends: 1, ListScope: 1 });
  });

  it('a view is composed on behalf of the viewer, and only what the viewer may see is requested', async () => {
    const { received, get } = await open(small);
    await get({ viewer: { ...owner, agentId: 'u1a0' }, includeDead: true });
    const viewer = { userId: 'u1', agentId: 'u1a0', parentUserId: undefined };
    expect(received.viewers).toEqual([viewer, viewer]);
    expect(received.scopes).toEqual([
      {
        userIds: ['u1', 's0'],
        gatewayUserIds: ['s0', 'f0'],
        includeDead: true,
        pageSize: 1_000,
        pageToken: '',
        knownDigest: '',
      },
    ]);
  });

  it('a subuser’s view takes two calls and shows only its own data, without subusers or friends', async () => {
    const { servers, received, get } = await open(small);
    const { view, text } = await get({ viewer: { userId: 's0', parentUserId: 'u1' } });
    expect(servers.takeCalls()).toEqual({ GetUser: 1, ListScope: 1 });
    expect(received.scopes).toMatchObject([{ userIds: ['s0'], gatewayUserIds: [] }]);
    expect(view.agents.entries.map(({ userId }) => userId)).toEqual(['s0', 's0']);
    expect([view.subusers, view.friends, view.requests]).toEqual([undefined, undefined, undefined]);
    expect(text).not.toMatch(/Subusers|Friend/);
  });
});

describe('getTopology', () => {
  it('a complete view shows the gateway agents of subusers and shares', async () => {
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

  it('requesting a deleted user’s view fails with NOT_FOUND', async () => {
    const { get } = await open(small);
    await expect(get({ viewer: { userId: 'gone1' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('pages of a view', () => {
  it.each([100, 1_000])(
    'pages of %p entries contain every agent and friend exactly once',
    async (size) => {
      const { servers, get } = await open({ subusers: 2, friends: 1_100, agents: 400 });
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
        const { ListFriends = 0, ListScope = 0 } = servers.takeCalls();
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

  it('a page with an invalid token or size is refused', async () => {
    const { servers, get } = await open(small);
    await expect(get({ pageToken: 'nonsense' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field: 'page_token' }] },
    });
    await expect(get({ pageSize: 1_001 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(servers.takeCalls()).toEqual({});
  });
});

describe('revisions', () => {
  it('the revision of a view depends on its content but not on the page size', async () => {
    const [two, three] = await Promise.all([open(small), open({ ...small, agents: 3 })]);
    const { revision } = await two.get();
    expect((await two.get({ pageSize: 1 })).revision).toBe(revision);
    expect((await three.get()).revision).not.toBe(revision);
  });

  it.each(['friends', 'scope'] as const)(
    'the revision of a view changes when entries beyond the first page of the %s source change',
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

describe('a view without a source', () => {
  const expected: Record<SourceName, Partial<typeof allAvailable>> = {
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
  const names = ['identity', 'socialGraph', 'agentRuntime'] as const;
  const never = (): Promise<never> => new Promise(() => undefined);
  const silent: Record<SourceName, (handlers: SourceHandlers) => SourceHandlers> = {
    identity: (all) => ({ ...all, identity: { getUser: never, listSubusers: never } }),
    socialGraph: (all) => ({ ...all, socialGraph: { listFriends: never } }),
    agentRuntime: (all) => ({ ...all, agentRuntime: { listScope: never } }),
  };

  it.each(names)(
    'when %s is down, a view is returned within four seconds, with the sections that depend on it marked',
    async (name) => {
      const { servers, get, received, reported } = await open(small);
      await servers.stop(name);
      const startedAt = Date.now();
      const page = await get();
      expect(Date.now() - startedAt).toBeLessThan(4_000);
      expect(statusesOf(page)).toEqual({ ...allAvailable, ...expected[name] });
      expect(reported.length).toBeGreaterThan(0);
      expect(page.text).toContain('Unavailable at the moment; try again');
      expect(page.text.startsWith('You are ')).toBe(true);
      if (name === 'identity') expect(received.scopes[0]?.userIds).toEqual(['u1']);
    },
  );

  it.each(names)(
    'a view is returned before the caller’s deadline when %s accepts calls but never responds',
    async (name) => {
      const { get } = await open(small, silent[name]);
      const deadline = Date.now() + 2_000;
      const page = await get({ deadline });
      expect(Date.now()).toBeLessThan(deadline);
      expect(statusesOf(page)).toEqual({ ...allAvailable, ...expected[name] });
    },
  );

  it('a view shows the cached nametag after identity goes down', async () => {
    const { servers, get } = await open(small);
    await get();
    await servers.stop('identity');
    expect((await get()).text).toMatch(/^You are swiftfox42 \(user u1\)/);
  });

  it('a view marks its six sections that come from other services as unavailable when all those services are down', async () => {
    const { servers, get } = await open(small);
    await Promise.all(names.map((name) => servers.stop(name)));
    const { text } = await get();
    expect(text.match(/Unavailable at the moment/g)).toHaveLength(6);
  });

  it('a view fails when a source is available but refuses the call', async () => {
    const { get } = await open(small, (all) => ({ ...all, socialGraph: {} }));
    await expect(get()).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
  });
});

describe('the format of a view', () => {
  it('a view has both text and structure by default', async () => {
    const { getPage } = await open(small);
    const { view, text } = await getPage();
    expect([view?.agents.count, text.startsWith('You are')]).toEqual([4, true]);
  });

  it('a view has the whole text on a single page when only the text is requested', async () => {
    const { get, getPage } = await open({ ...small, agents: 3 });
    const both = await get({ pageSize: 1 });
    const text = await getPage({ pageSize: 1, format: 'text' });
    expect(both.nextPageToken).not.toBe('');
    expect(text).toMatchObject({ view: undefined, nextPageToken: '' });
    expect([text.text, text.revision, text.self]).toEqual([both.text, both.revision, both.self]);
  });

  it('a view has pages without text when only the structure is requested', async () => {
    const { get } = await open({ ...small, agents: 1 });
    const both = await get({ pageSize: 1 });
    const structure = await get({ pageSize: 1, format: 'structure' });
    expect([structure.view, structure.text]).toEqual([both.view, '']);
    const pageToken = structure.nextPageToken;
    const second = await get({ pageSize: 1, pageToken, format: 'structure' });
    expect(second.view.agents.entries.map(({ id }) => id)).toEqual(['s0a0']);
  });

  it('a request for only the text of a view is refused if it has a page token', async () => {
    const { get, getPage } = await open(small);
    const { nextPageToken: pageToken } = await get({ pageSize: 1 });
    await expect(getPage({ pageToken, format: 'text' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field: 'page_token' }] },
    });
  });
});
