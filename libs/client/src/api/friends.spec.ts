import { describe, expect, it } from '@jest/globals';
import { ListFriendsResponse } from '@daycare/contracts/social-graph';
import { connectTo, readAll } from '../test-support/serve';

const anyString = expect.any(String);

const pageOf = (nametag: string, nextPageToken: string): ListFriendsResponse =>
  ListFriendsResponse.fromPartial({ friends: [{ nametag }], nextPageToken });

/** Connects a client to a server that records the requests it receives. */
async function connectWith(answers: Record<string, (request: object) => unknown>) {
  const requests: object[] = [];
  const recorded = Object.entries(answers).map(([name, answer]) => [
    name,
    (request: object) => (requests.push(request), answer(request)),
  ]);
  const daycare = await connectTo({ socialGraph: Object.fromEntries(recorded) });
  return { friends: daycare.friends, requests };
}

describe('daycare.friends', () => {
  it('lists the friends of every page', async () => {
    const { friends, requests } = await connectWith({
      listFriends: (request) =>
        (request as { pageToken: string }).pageToken === ''
          ? pageOf('otter1', 'second')
          : pageOf('fox2', ''),
    });
    const listed = await readAll(friends.list());
    expect(listed.map(({ nametag }) => nametag)).toEqual(['otter1', 'fox2']);
    expect(requests).toMatchObject([{ pageToken: '' }, { pageToken: 'second' }]);
  });

  it('adds, removes, blocks and unblocks users by nametag, with a new request id for each call', async () => {
    const nothing = (): object => ({});
    const { friends, requests } = await connectWith({
      addFriend: nothing,
      removeFriend: nothing,
      blockUser: nothing,
      unblockUser: nothing,
    });
    await friends.add('otter1');
    await friends.remove('otter1');
    await friends.block('otter1');
    await friends.unblock('otter1', { requestId: 'mine' });
    expect(requests).toEqual([
      ...Array.from({ length: 3 }, () => ({ requestId: anyString, nametag: 'otter1' })),
      { requestId: 'mine', nametag: 'otter1' },
    ]);
    const ids = requests.map((request) => (request as { requestId: string }).requestId);
    expect(new Set(ids).size).toBe(4);
  });

  it('sends a message and reports its delivery', async () => {
    const acceptedAt = new Date('2026-11-17T10:00:00Z');
    const { friends, requests } = await connectWith({
      sendFriendMessage: () => ({ messageId: 'm1' }),
      getMessageStatus: () => ({ acceptedAt }),
    });
    const { messageId } = await friends.send('otter1', 'hello');
    expect(await friends.status(messageId)).toMatchObject({ acceptedAt });
    expect(requests).toEqual([
      { requestId: anyString, nametag: 'otter1', message: 'hello' },
      { messageId: 'm1' },
    ]);
  });
});
