import { describe, expect, it } from '@jest/globals';
import { ListFriendsResponse, TieState } from '@daycare/contracts/social-graph';
import { readFriends } from './fact-messages';

describe('readFriends', () => {
  const tokenAfter = (page: object): string =>
    readFriends(ListFriendsResponse.fromPartial({ nextPageToken: 'next', ...page })).nextPageToken;

  it('keeps the page token of a page with any friend or request, however short the page is', () => {
    expect(tokenAfter({ friends: [{ nametag: 'otter7' }] })).toBe('next');
    expect(tokenAfter({ requests: [{ nametag: 'otter7', state: TieState.PENDING_IN }] })).toBe(
      'next',
    );
  });

  it('drops the page token of a page with only blocks, because no friends or requests follow', () => {
    expect(tokenAfter({ blocks: [{ nametag: 'otter7' }] })).toBe('');
  });
});
