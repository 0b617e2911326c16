import { describe, expect, it } from '@jest/globals';
import { ListFriendsResponse } from '@daycare/contracts/social-graph';
import { all, connectTo } from '../test-support/serve';

const some = expect.any(String);

const pageOf = (nametag: string, nextPageToken: string): ListFriendsResponse =>
  ListFriendsResponse.fromPartial({ friends: [{ nametag }], nextPageToken });

/** A server that records what it is asked. */
async function connectWith(answers: Record<string, (request: object) => unknown>) {
  const asked: object[] = [];
  const recorded = Object.entries(answers).map(([name, answer]) => [
    name,
    (request: object) => (asked.push(request), answer(request)),
  ]);
  const daycare = await connectTo({ socialGraph: Object.fromEntries(recorded) });
  return { friends: daycare.friends, asked };
}

describe('daycare.friends', () => {
  it('lists the friends of every page', async () => {
    const { friends, asked } = await connectWith({
      listFriends: (request) =>
        (request as { pageToken: string }).pageToken === ''
          ? pageOf('otter1', 'second')
          : pageOf('fox2', ''),
    });
    const listed = await all(friends.list());
    expect(listed.map(({ nametag }) => nametag)).toEqual(['otter1', 'fox2']);
    expect(asked).toMatchObject([{ pageToken: '' }, { pageToken: 'second' }]);
  });

  it('adds, removes, blocks and unblocks by nametag, each with a request id of its own', async () => {
    const nothing = (): object => ({});
    const { friends, asked } = await connectWith({
      addFriend: nothing,
      removeFriend: nothing,
      blockUser: nothing,
      unblockUser: nothing,
    });
    await friends.add('otter1');
    await friends.remove('otter1');
    await friends.block('otter1');
    await friends.unblock('otter1', { requestId: 'mine' });
    expect(asked).toEqual([
      ...Array.from({ length: 3 }, () => ({ requestId: some, nametag: 'otter1' })),
      { requestId: 'mine', nametag: 'otter1' },
    ]);
    const ids = asked.map((request) => (request as { requestId: string }).requestId);
    expect(new Set(ids).size).toBe(4);
  });

  it('sends a message and reports its delivery', async () => {
    const acceptedAt = new Date('2026-11-17T10:00:00Z');
    const { friends, asked } = await connectWith({
      sendFriendMessage: () => ({ messageId: 'm1' }),
      getMessageStatus: () => ({ acceptedAt }),
    });
    const { messageId } = await friends.send('otter1', 'hello');
    expect(await friends.status(messageId)).toMatchObject({ acceptedAt });
    expect(asked).toEqual([
      { requestId: some, nametag: 'otter1', message: 'hello' },
      { messageId: 'm1' },
    ]);
  });
});
