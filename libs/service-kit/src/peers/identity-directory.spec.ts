import { describe, expect, it } from '@jest/globals';
import type { User } from '@daycare/contracts/identity';
import { notFound } from '@daycare/api';
import { IdentityDirectory } from './identity-directory';

const fox: User = {
  id: 'sub1',
  nametag: 'swiftfox42',
  name: 'Helper',
  description: '',
  timeZone: '',
  parentUserId: 'ada',
  createdAt: undefined,
};
const entry = { userId: 'sub1', nametag: 'swiftfox42', parentUserId: 'ada' };

/** Creates a directory that queries a fake identity, which has one user and records the calls. */
function setUp() {
  const calls: string[] = [];
  const revoked = new Set<string>();
  const clock = { now: 1_000_000, freshAt: 1_000_000 };
  let exists = true;
  const respond = async (key: string, found: boolean) => {
    calls.push(key);
    await new Promise(setImmediate);
    if (!found || !exists) throw notFound('user');
    return { user: fox };
  };
  const directory = new IdentityDirectory({
    identity: {
      resolveNametag: ({ nametag }) => respond(nametag, nametag === fox.nametag),
      getUser: ({ userId }) => respond(userId, userId === fox.id),
    },
    credential: { metadata: () => () => ({ authorization: 'Bearer x' }) },
    revocations: {
      isRevoked: (id) => revoked.has(id),
      get freshAt() {
        return clock.freshAt;
      },
    },
    now: () => clock.now,
  });
  return { directory, calls, revoked, clock, remove: () => (exists = false) };
}

describe('IdentityDirectory', () => {
  it('fetches a user only once, even if the user is looked up by nametag and by id', async () => {
    const { directory, calls } = setUp();
    await expect(directory.findByNametag('swiftfox42')).resolves.toEqual(entry);
    await expect(directory.findByNametag('swiftfox42')).resolves.toEqual(entry);
    await expect(directory.findById('sub1')).resolves.toEqual(entry);
    expect(calls).toEqual(['swiftfox42']);
  });

  it('shares one fetch between concurrent look-ups', async () => {
    const { directory, calls } = setUp();
    await Promise.all(Array.from({ length: 50 }, () => directory.findById('sub1')));
    expect(calls).toEqual(['sub1']);
  });

  it('does not cache an unknown nametag', async () => {
    const { directory, calls } = setUp();
    await expect(directory.findByNametag('calmowl7')).resolves.toBeUndefined();
    await expect(directory.findByNametag('calmowl7')).resolves.toBeUndefined();
    expect(calls).toEqual(['calmowl7', 'calmowl7']);
  });

  it.each([
    ['the user', 'user:sub1'],
    ["the user's owner", 'user:ada'],
  ])('drops a user after %s is deleted', async (_, id) => {
    const { directory, revoked, remove } = setUp();
    await directory.findById('sub1');
    remove();
    revoked.add(id);
    await expect(directory.findById('sub1')).resolves.toBeUndefined();
    revoked.delete(id);
    await expect(directory.findByNametag('swiftfox42')).resolves.toBeUndefined();
  });

  it('fetches a user again while the revocation list is too old', async () => {
    const { directory, calls, clock } = setUp();
    await directory.findById('sub1');
    clock.now += 5 * 60_000;
    await directory.findById('sub1');
    clock.freshAt = clock.now;
    await directory.findById('sub1');
    expect(calls).toHaveLength(2);
  });

  it('does not keep a deleted user whose revocation expired while no updates arrived', async () => {
    const { directory, clock, remove } = setUp();
    await directory.findById('sub1');
    remove();
    const silenceMs = 20 * 60_000;
    clock.now += silenceMs;
    clock.freshAt = clock.now;
    directory.onRevocations({ revoked: [], isRestarted: false }, silenceMs);
    await expect(directory.findById('sub1')).resolves.toBeUndefined();
    await expect(directory.findByNametag('swiftfox42')).resolves.toBeUndefined();
  });

  it('forgets the nametag of a deleted user even if there are more users than the directory can cache', async () => {
    const calls: string[] = [];
    const fetch = async (id: string) => {
      calls.push(id);
      return { user: { ...fox, id, nametag: id, parentUserId: '' } };
    };
    const directory = new IdentityDirectory({
      identity: {
        resolveNametag: ({ nametag }) => fetch(nametag),
        getUser: ({ userId }) => fetch(userId),
      },
      credential: { metadata: () => () => ({}) },
      revocations: { isRevoked: () => false, freshAt: Date.now() },
      capacity: 2,
    });
    for (const nametag of ['ada', 'bob', 'ada', 'eve']) await directory.findByNametag(nametag);
    expect(calls).toEqual(['ada', 'bob', 'eve']);
    directory.onRevocations({ revoked: [{ id: 'user:ada' }], isRestarted: false }, 2_000);
    await directory.findByNametag('ada');
    expect(calls).toEqual(['ada', 'bob', 'eve', 'ada']);
  });

  it('keeps cached users while revocation updates arrive regularly', async () => {
    const { directory, calls } = setUp();
    await directory.findById('sub1');
    directory.onRevocations({ revoked: [{ id: 'user:bob' }], isRestarted: false }, 2_000);
    await directory.findById('sub1');
    expect(calls).toEqual(['sub1']);
  });

  it('does not mistake an outage for an unknown user', async () => {
    const failing = new IdentityDirectory({
      identity: {
        resolveNametag: () => Promise.reject(new Error('away')),
        getUser: () => Promise.reject(new Error('away')),
      },
      credential: { metadata: () => () => ({}) },
      revocations: { isRevoked: () => false, freshAt: Date.now() },
    });
    await expect(failing.findById('sub1')).rejects.toThrow('away');
  });
});
