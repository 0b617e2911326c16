import { afterEach, describe, expect, it } from '@jest/globals';
import type { User } from '@daycare/contracts/identity';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { toResponse } from '../../rpc/topology-messages';
import {
  openTestViews,
  type TestViews,
  type TestViewsOptions,
} from '../../test-support/test-views';
import { friendOf, owner, type WorldSize } from '../../test-support/test-world';
import type { TopologyPage } from './get-topology';

let opened: TestViews[] = [];
afterEach(async () => {
  await Promise.all(opened.map(({ servers }) => servers.close()));
  opened = [];
});

async function open(size: WorldSize, options?: TestViewsOptions): Promise<TestViews> {
  const views = await openTestViews(size, options);
  opened.push(views);
  return views;
}

const small: WorldSize = { subusers: 2, friends: 2, agents: 2 };
const oneOfEach = { ListSubusers: 1, ListFriends: 1, ListScope: 1 };

const decode = (page: TopologyPage) =>
  TopologyServiceService.getTopology.responseDeserialize(toResponse(page).bytes);

describe('a view that has not changed', () => {
  it('an unchanged view is returned from the cache after one call to each service', async () => {
    const { servers, get, received } = await open(small);
    const before = await get();
    servers.takeCalls();
    const after = await get();
    expect(servers.takeCalls()).toEqual(oneOfEach);
    expect(after.encoded).toBe(before.encoded);
    expect(received.scopes[1]?.knownDigest).not.toBe('');
    const { composedAt: _one, ...first } = decode(before).topology!;
    const { composedAt: _other, ...second } = decode(after).topology!;
    expect(second).toEqual(first);
  });

  it('an unchanged view is returned with the viewer and time of the new call', async () => {
    const { get } = await open(small);
    await get();
    const page = await get({ viewer: { ...owner, agentId: 'u1a1' } });
    const { topology, text } = decode(page);
    expect(topology?.self).toEqual({ userId: 'u1', nametag: 'swiftfox42', agentId: 'u1a1' });
    expect(topology?.composedAt).toEqual(page.composedAt);
    expect(text).toMatch(/\nu1a1 \(You\)/);
    expect((await get()).text).not.toContain('(You)');
  });

  it('an unchanged view is split into pages of the size that each caller requests', async () => {
    const { get } = await open(small);
    for (const pageSize of [1, 2, 3, 1, 2, 3]) {
      const { view, encoded } = await get({ pageSize });
      expect(view.agents.entries).toHaveLength(pageSize);
      expect(decode(await get({ pageSize })).topology?.agents?.agents).toHaveLength(pageSize);
      expect(encoded.length).toBeGreaterThan(0);
    }
  });
});

describe('a view that has changed', () => {
  it.each<[string, (views: TestViews) => void, RegExp]>([
    ['an added agent', ({ state }) => void (state.agents += 1), /u1a2 type/],
    ['an added friend', ({ state }) => state.friends.push(friendOf(7)), /quickowl7/],
    ['a subuser’s new name', ({ state }) => renameFirst(state.subusers), /name="Renamed"/],
  ])('the very next view shows %s', async (_what, change, line) => {
    const views = await open(small);
    const before = await views.get();
    expect(before.text).not.toMatch(line);
    change(views);
    const after = await views.get();
    expect(after.text).toMatch(line);
    expect(after.revision).not.toBe(before.revision);
    expect((await views.get()).text).toBe(after.text);
  });

  it('the next view shows neither a revoked share nor its gateway agent, which was requested before the revocation was known', async () => {
    const { get, state, received } = await open(small);
    expect((await get()).text).toContain('gateway=gwf0');
    state.friends[0] = { ...state.friends[0]!, sharesIn: [] };
    const page = await get();
    expect(page.text).not.toContain('gwf0');
    expect(JSON.stringify(decode(page))).not.toMatch(/gwf0|smartowl0/);
    expect(received.scopes.map(({ gatewayUserIds }) => gatewayUserIds.includes('f0'))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('the next view no longer shows a friend who was removed', async () => {
    const { get, state } = await open(small);
    await get();
    state.friends.splice(0, 1);
    expect(JSON.stringify(decode(await get()))).not.toMatch(/quickowl0|gwf0|smartowl0/);
  });

  it('the next view no longer shows a deleted subuser or its agents', async () => {
    const { get, state } = await open(small);
    expect((await get()).text).toContain('s1a0');
    state.subusers.pop();
    expect(JSON.stringify(decode(await get()))).not.toMatch(/s1a0|coolcat1|gws1/);
  });
});

describe('a cached view of another viewer', () => {
  it('a view cached for an owner is not shown to its subuser, nor the subuser’s view to its owner', async () => {
    const { get } = await open(small);
    const viewer = { userId: 's0', parentUserId: 'u1' };
    const own = await get();
    for (let round = 0; round < 2; round += 1) {
      const page = await get({ viewer });
      expect(JSON.stringify(decode(page))).not.toMatch(/u1a0|s1a0|quickowl|coolcat1/);
      expect(page.view.agents.entries.map(({ userId }) => userId)).toEqual(['s0', 's0']);
      expect((await get()).text).toBe(own.text);
    }
  });

  it('a view with dead agents is cached separately from the view without them', async () => {
    const { get, received } = await open(small);
    await get();
    await get({ includeDead: true });
    expect(received.scopes.map(({ knownDigest }) => knownDigest)).toEqual(['', '']);
  });
});

describe('the memory used by cached views', () => {
  it('cached views stay below the size limit, and the latest one stays in the cache', async () => {
    const size = { subusers: 20, friends: 0, agents: 5 };
    const { cachedBytes: bytesOfOne, get: getOne } = await open(size);
    await getOne({ viewer: { userId: 's0', parentUserId: 'u1' } });
    const maxBytes = 5 * bytesOfOne();
    const { get, cachedBytes, servers } = await open(size, { maxBytes });
    for (let n = 0; n < 20; n += 1) {
      await get({ viewer: { userId: `s${n}`, parentUserId: 'u1' } });
      expect(cachedBytes()).toBeLessThanOrEqual(maxBytes);
    }
    expect(cachedBytes()).toBeGreaterThan(maxBytes / 2);
    servers.takeCalls();
    const { encoded } = await get({ viewer: { userId: 's19', parentUserId: 'u1' } });
    expect((await get({ viewer: { userId: 's19', parentUserId: 'u1' } })).encoded).toBe(encoded);
  });

  it('a view that is larger than the limit is returned but not cached', async () => {
    const { get, cachedBytes } = await open(small, { maxBytes: 1_000 });
    const [first, second] = [await get(), await get()];
    expect([second.text, second.view]).toEqual([first.text, first.view]);
    expect(cachedBytes()).toBe(0);
  });

  it('many page sizes and agents do not make a cached view grow without limit', async () => {
    const { get, cachedBytes } = await open({ subusers: 0, friends: 50, agents: 50 });
    const sizes = Array.from({ length: 40 }, (_, index) => 60 + index);
    const seen: number[] = [];
    for (const pageSize of sizes) {
      await get({ pageSize, viewer: { ...owner, agentId: `u1a${pageSize}` } });
      seen.push(cachedBytes());
    }
    expect(seen.at(-1)).toBeLessThan(1.1 * seen[10]!);
  });
});

describe('a cached view while its source is down', () => {
  it.each(['identity', 'socialGraph', 'agentRuntime'] as const)(
    'a view is not returned from the cache while %s is down',
    async (name) => {
      const { get, servers } = await open(small);
      const before = await get();
      await servers.stop(name);
      const during = await get();
      expect(during.text).toContain('Unavailable at the moment; try again');
      expect(during.revision).not.toBe(before.revision);
    },
  );
});

function renameFirst(subusers: User[]): void {
  subusers[0] = { ...subusers[0]!, name: 'Renamed' };
}
