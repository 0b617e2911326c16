import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ListSubusersResponse } from '@daycare/contracts/identity';
import type { ListFriendsResponse } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import type { CallContext } from '@daycare/rpc';
import { toResponse } from '../../rpc/topology-messages';
import type { SourceHandlers } from '../../test-support/test-sources';
import { openTestViews, type TestViews } from '../../test-support/test-views';
import type { TopologyPage } from './get-topology';

const ada = { viewer: { userId: 'u1' } };
const eve = { viewer: { userId: 'u2' } };
/** What only Ada may see: her agents, subusers, friends, their subusers and her requests. */
const onlyAdas = /u1a|s0|s1|coolcat|quickowl|smartowl|lazydog/;

let views: TestViews;
beforeAll(async () => {
  const size = { subusers: 2, friends: 2, agents: 2 };
  views = await openTestViews(size, { change: onlyAdaHasPeople });
});
afterAll(() => views.servers.close());

/** Decodes what the caller receives. */
function decode(page: TopologyPage) {
  const { bytes } = toResponse(page);
  const response = TopologyServiceService.getTopology.responseDeserialize(bytes);
  return { response, json: JSON.stringify(response) };
}

it('two unrelated viewers never get each other’s cached view, even if the digests are equal', async () => {
  const { get, received } = views;
  const [adasPage, evesPage] = [await get(ada), await get(eve)];
  expect(received.scopes.map(({ knownDigest }) => knownDigest)).toEqual(['', '']);
  expect(decode(adasPage).json).toMatch(onlyAdas);
  expect(evesPage.encoded).not.toBe(adasPage.encoded);
  for (let round = 0; round < 3; round += 1) {
    const [adasNext, evesNext] = [await get(ada), await get(eve)];
    expect(adasNext.encoded).toBe(adasPage.encoded);
    expect(evesNext.encoded).toBe(evesPage.encoded);
    const { response, json } = decode(evesNext);
    expect(json).not.toMatch(onlyAdas);
    const owners = response.topology?.agents?.agents.map(({ userId }) => userId);
    expect(owners).toEqual(['u2', 'u2']);
  }
});

/** The worst case: Eve gets the same digests as Ada, so only the cache key separates the two. */
function onlyAdaHasPeople(handlers: SourceHandlers): SourceHandlers {
  const { listSubusers } = handlers.identity;
  const { listFriends } = handlers.socialGraph;
  const isAda = ({ caller }: CallContext): boolean =>
    caller.kind === 'user' && caller.userId === ada.viewer.userId;
  const user = {
    id: '',
    nametag: 'shyowl3',
    name: '',
    parentUserId: '',
    description: '',
    timeZone: '',
  };
  return {
    ...handlers,
    identity: {
      getUser: async ({ userId: id }) => ({ user: { ...user, id } }),
      listSubusers: async (request, context) => {
        const response = (await listSubusers!(request, context)) as ListSubusersResponse;
        return isAda(context) ? response : { ...response, subusers: [] };
      },
    },
    socialGraph: {
      listFriends: async (request, context) => {
        const response = (await listFriends!(request, context)) as ListFriendsResponse;
        const noPeople = { friends: [], requests: [], friendCount: 0, requestCount: 0 };
        return isAda(context) ? response : { ...response, ...noPeople };
      },
    },
  };
}
