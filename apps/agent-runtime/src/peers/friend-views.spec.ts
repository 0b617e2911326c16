import { describe, expect, it } from '@jest/globals';
import {
  ShareStatus,
  TieState,
  type Friend,
  type ListFriendsResponse,
  type Share,
} from '@daycare/contracts/social-graph';
import { toFriendList } from './friend-views';

const since = new Date('2026-11-15T10:00:00Z');
const time = '2026-11-15T10:00:00.000Z';

function response(lists: Partial<ListFriendsResponse>): ListFriendsResponse {
  const { friends = [], requests = [], blocks = [] } = lists;
  return {
    friends,
    requests,
    blocks,
    friendCount: friends.length,
    requestCount: requests.length,
    blockCount: blocks.length,
    nextPageToken: '',
    digest: '',
    unchanged: false,
    ...lists,
  };
}

const friend = (nametag: string, shares: Partial<Friend> = {}): Friend => ({
  nametag,
  friendsSince: since,
  sharesOut: [],
  sharesIn: [],
  ...shares,
});

const share = (number: number, name = 'Helper'): Share => ({
  subuserId: `sub${number}`,
  subuserNametag: `coolcat${number}`,
  subuserName: name,
  subuserDescription: 'Helps',
  status: ShareStatus.ACTIVE,
  offeredAt: since,
  acceptedAt: since,
});

const many = <T>(count: number, make: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('a list of friends', () => {
  it('an empty friend list has empty lists and no leftOut counts', () => {
    expect(toFriendList(response({}))).toEqual({
      summary: 'Friends: 0, open requests: 0, blocked: 0',
      friends: [],
      requests: [],
      blocks: [],
    });
  });

  it('a friend list shows shares in both directions, requests with their times, and blocks', () => {
    const pending = { ...share(2), status: ShareStatus.PENDING };
    const list = toFriendList(
      response({
        friends: [friend('swiftfox42', { sharesOut: [share(1)], sharesIn: [pending] })],
        requests: [
          { nametag: 'lazydog55', state: TieState.PENDING_IN, since },
          { nametag: 'smartowl22', state: TieState.PENDING_OUT, since },
        ],
        blocks: [{ nametag: 'rudebat3', since }],
      }),
    );
    expect(list).toEqual({
      summary: 'Friends: 1, open requests: 2, blocked: 1',
      friends: [
        {
          nametag: 'swiftfox42',
          since: time,
          sharesOut: [{ subuserId: 'sub1', nametag: 'coolcat1', name: 'Helper', status: 'active' }],
          sharesIn: [{ subuserId: 'sub2', nametag: 'coolcat2', name: 'Helper', status: 'pending' }],
        },
      ],
      requests: [
        { nametag: 'lazydog55', state: 'pending_in', since: time },
        { nametag: 'smartowl22', state: 'pending_out', since: time },
      ],
      blocks: [{ nametag: 'rudebat3', since: time }],
    });
  });

  it('a friend list fits into a tool result and counts the omitted entries, including those on pages that were not read', () => {
    const state = TieState.PENDING_IN;
    const list = toFriendList(
      response({
        friends: many(100, (number) => friend(`swiftfox${number}`)),
        requests: many(100, (number) => ({ nametag: `lazydog${number}`, state, since })),
        blocks: many(100, (number) => ({ nametag: `rudebat${number}`, since })),
        friendCount: 5_000,
        requestCount: 200,
        blockCount: 100,
      }),
    );
    expect(JSON.stringify(list).length).toBeLessThan(8_000);
    expect(list.friends.length).toBeGreaterThan(50);
    expect(list.leftOut).toEqual({
      friends: 5_000 - list.friends.length,
      requests: 200 - list.requests.length,
      blocks: 100 - list.blocks.length,
    });
  });

  it('a friend list shows at most ten shares per friend and direction, so that no friend crowds out the others', () => {
    const name = '"'.repeat(100);
    const withMany = friend('a1', { sharesIn: many(500, (number) => share(number, name)) });
    const withSome = friend('b1', { sharesIn: many(12, (number) => share(number)) });
    const { friends, leftOut } = toFriendList(
      response({ friends: [withMany, withSome, friend('c1')] }),
    );
    expect(friends.map(({ nametag }) => nametag)).toEqual(['a1', 'b1', 'c1']);
    expect(friends.map((listed) => listed.leftOut)).toEqual([
      { sharesIn: 490 },
      { sharesIn: 2 },
      undefined,
    ]);
    expect(leftOut).toBeUndefined();
  });
});
