import { expect, it } from '@jest/globals';
import {
  TieState,
  type FriendRequest,
  type ListFriendsResponse,
} from '@daycare/contracts/social-graph';
import { waitingRequestsText } from './waiting-requests';

const request = (nametag: string, state = TieState.PENDING_IN): FriendRequest => ({
  nametag,
  state,
  since: undefined,
});

const text = (requests: FriendRequest[], nextPageToken = '') =>
  waitingRequestsText({
    listFriends: async () => ({ requests, nextPageToken }) as ListFriendsResponse,
  });

it('names the senders of incoming friend requests and says how to accept', async () => {
  await expect(
    text([request('otter7'), request('swiftfox42', TieState.PENDING_OUT)]),
  ).resolves.toBe('otter7 wants to be friends; accept with "daycare friend add otter7".');
  await expect(text([request('otter7'), request('owl1')])).resolves.toContain('otter7, owl1 want ');
});

it('names only the first five senders of many friend requests', async () => {
  const many = Array.from({ length: 30 }, (_, count) => request(`otter${count}`));
  await expect(text(many)).resolves.toContain('otter4, … want ');
});

it('shows no line when there are no incoming friend requests or they cannot be read', async () => {
  await expect(text([request('a', TieState.PENDING_OUT)])).resolves.toBeUndefined();
  const listFriends = () => Promise.reject(new Error('away'));
  await expect(waitingRequestsText({ listFriends })).resolves.toBeUndefined();
});
