import { describe, expect, it } from '@jest/globals';
import { connectTo, readAll } from '../test-support/serve';

const anyString = expect.any(String);
const user = { id: 's1', name: 'Cook', nametag: 'cook1' };

describe('daycare.subusers', () => {
  it('creates, renames, lists and deletes subusers', async () => {
    const requests: object[] = [];
    const answer = (response: object) => (request: object) => (requests.push(request), response);
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
    expect((await readAll(subusers.list())).map(({ id }) => id)).toEqual(['s1']);
    await subusers.delete('s1');
    expect(requests).toMatchObject([
      { requestId: anyString, name: 'Cook', description: '' },
      { requestId: anyString, subuserId: 's1', name: 'Chef' },
      { pageToken: '' },
      { requestId: anyString, subuserId: 's1' },
    ]);
  });

  it('shares a subuser with a friend and unshares it', async () => {
    const requests: object[] = [];
    const record = (request: object) => (requests.push(request), {});
    const { subusers } = await connectTo({
      socialGraph: { shareSubuser: record, unshareSubuser: record },
    });
    await subusers.share('s1', 'otter1');
    await subusers.unshare('s1', 'otter1');
    const expected = { requestId: anyString, subuserId: 's1', friendNametag: 'otter1' };
    expect(requests).toEqual([
      expect.objectContaining(expected),
      expect.objectContaining(expected),
    ]);
  });

  it('reports a response that lacks the subuser as an internal error', async () => {
    const { subusers } = await connectTo({ identity: { createSubuser: () => ({}) } });
    await expect(subusers.create({ name: 'Cook' })).rejects.toMatchObject({ reason: 'INTERNAL' });
  });
});
