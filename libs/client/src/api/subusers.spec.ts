import { describe, expect, it } from '@jest/globals';
import { all, connectTo } from '../test-support/serve';

const some = expect.any(String);
const user = { id: 's1', name: 'Cook', nametag: 'cook1' };

describe('daycare.subusers', () => {
  it('creates, renames, lists and deletes subusers', async () => {
    const asked: object[] = [];
    const answer = (response: object) => (request: object) => (asked.push(request), response);
    const { subusers } = await connectTo({
      identity: {
        createSubuser: answer({ subuser: user }),
        renameSubuser: answer({ subuser: { ...user, name: 'Chef' } }),
        listSubusers: answer({ subusers: [user], nextPageToken: '' }),
        deleteSubuser: answer({}),
      },
    });
    expect(await subusers.create({ name: 'Cook' })).toMatchObject({ id: 's1', name: 'Cook' });
    expect(await subusers.rename('s1', 'Chef')).toMatchObject({ name: 'Chef' });
    expect((await all(subusers.list())).map(({ id }) => id)).toEqual(['s1']);
    await subusers.delete('s1');
    expect(asked).toMatchObject([
      { requestId: some, name: 'Cook', description: '' },
      { requestId: some, subuserId: 's1', name: 'Chef' },
      { pageToken: '' },
      { requestId: some, subuserId: 's1' },
    ]);
  });

  it('shares a subuser with a friend and unshares it', async () => {
    const asked: object[] = [];
    const note = (request: object) => (asked.push(request), {});
    const { subusers } = await connectTo({
      socialGraph: { shareSubuser: note, unshareSubuser: note },
    });
    await subusers.share('s1', 'otter1');
    await subusers.unshare('s1', 'otter1');
    const expected = { requestId: some, subuserId: 's1', friendNametag: 'otter1' };
    expect(asked).toEqual([expect.objectContaining(expected), expect.objectContaining(expected)]);
  });

  it('reports an answer without the subuser as an internal error', async () => {
    const { subusers } = await connectTo({ identity: { createSubuser: () => ({}) } });
    await expect(subusers.create({ name: 'Cook' })).rejects.toMatchObject({ reason: 'INTERNAL' });
  });
});
