import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import type { DirectoryEntry } from '@daycare/service-kit';
import { pairOf } from '../domain/tie/pair';
import { noTie, otherSide } from '../domain/tie/tie';
import { openTestCalls } from '../test-support/test-calls';

const test = useFixture(openTestCalls);

/** Two friends whose lists are longer than a page of one. */
async function newPair(): Promise<[DirectoryEntry, DirectoryEntry]> {
  const [ada, bob] = await test.newFriends();
  for (const user of [ada, bob])
    for (const other of [test.people.add(), test.people.add()])
      await test.call('addFriend', user, other.nametag);
  return [ada, bob];
}

const digestOf = async (user: DirectoryEntry): Promise<string> => (await test.list(user, 1)).digest;

it('the digest changes when any page of a list changes', async () => {
  const [ada, bob] = await newPair();
  const seen = [await digestOf(ada)];
  expect(await digestOf(ada)).toBe(seen[0]);
  const eve = test.people.add();
  await test.call('addFriend', eve, ada.nametag);
  seen.push(await digestOf(ada));
  const helper = test.people.add(ada);
  await test.share('shareSubuser', ada, bob.nametag, helper.userId);
  seen.push(await digestOf(ada));
  await test.call('removeFriend', bob, ada.nametag);
  seen.push(await digestOf(ada));
  expect(new Set(seen).size).toBe(4);
});

it('neither being blocked nor a hidden request changes the digest', async () => {
  const [ada, bob] = await newPair();
  const eve = test.people.add();
  await test.call('addFriend', ada, eve.nametag);
  const [adasDigest, bobsDigest] = [await digestOf(ada), await digestOf(bob)];
  await test.call('blockUser', eve, ada.nametag);
  expect(await digestOf(ada)).toBe(adasDigest);
  const dan = test.people.add();
  await test.call('blockUser', bob, dan.nametag);
  const blockersDigest = await digestOf(bob);
  expect(blockersDigest).not.toBe(bobsDigest);
  await test.call('addFriend', dan, bob.nametag);
  expect(await digestOf(bob)).toBe(blockersDigest);
});

it('a caller that sends the current digest receives the answer "unchanged" instead of the lists', async () => {
  const [ada, bob] = await newPair();
  const listAgain = (knownDigest: string) =>
    test.usecases.listFriends({ callerId: ada.userId, pageSize: 1, pageToken: '', knownDigest });
  const { digest } = await test.list(ada, 1);
  await expect(listAgain(digest)).resolves.toEqual({ unchangedDigest: digest });
  await test.call('removeFriend', bob, ada.nametag);
  await expect(listAgain(digest)).resolves.toMatchObject({ friends: [] });
  await expect(listAgain('')).resolves.toMatchObject({ friends: [] });
});

it('every page fits into one response, however many subusers friends have offered', async () => {
  const ada = test.people.add();
  const since = new Date();
  const friends = test.people.addMany(12);
  for (const friend of friends) {
    const { pair, me } = pairOf(ada, friend);
    const shares = Array.from({ length: 100 }, (_, index) => ({
      subuserId: `${friend.userId}s${index}`,
      subuserNametag: `helper${index}`,
      subuserName: '\u{1F600}'.repeat(100),
      subuserDescription: '\u{1F600}'.repeat(1_000),
      owner: otherSide[me],
      status: 'pending' as const,
      offeredAt: since,
      acceptedAt: undefined,
    }));
    const tie = { ...noTie, bond: { kind: 'friends' as const, since }, shares };
    await test.ties.save({ pair, tie, recent: [], version: 0 });
  }
  let [seen, pageToken] = [0, ''];
  do {
    const page = await test.list(ada, 1_000, pageToken);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(4 << 20);
    expect(page.friends.length).toBeGreaterThan(0);
    seen += page.friends.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(seen).toBe(friends.length);
});

it('the lists show the names of friends and of users who have sent a request, and the nicknames that the caller has given', async () => {
  const [ada, bob] = await test.newFriends();
  const [eve, dan] = test.people.addMany(2);
  await test.call('addFriend', eve!, ada.nametag);
  await test.call('addFriend', ada, dan!.nametag);
  test.people.rename(eve!.userId, 'Eve');
  const before = await digestOf(ada);
  const call = { callerId: ada.userId, nametag: bob.nametag, nickname: ' Bobby ' };
  const setNickname = (requestId: string, changes: Partial<typeof call> = {}) =>
    test.usecases.setFriendNickname({ ...call, ...changes, requestId });
  await expect(setNickname('first')).resolves.toEqual({ nametag: bob.nametag, nickname: 'Bobby' });
  expect(await digestOf(ada)).not.toBe(before);
  const list = ({ userId: callerId }: DirectoryEntry, includeNames: boolean) =>
    test.usecases.listFriends({ callerId, pageSize: 10, pageToken: '', includeNames });
  await expect(list(ada, true)).resolves.toMatchObject({
    friends: [{ name: 'Helper', nickname: 'Bobby' }],
    requests: [
      { nametag: eve!.nametag, name: 'Eve' },
      { nametag: dan!.nametag, name: undefined },
    ],
  });
  await expect(list(bob, false)).resolves.toMatchObject({
    friends: [{ name: undefined, nickname: undefined }],
  });
  await setNickname('second', { nickname: '' });
  await expect(list(ada, false)).resolves.toMatchObject({ friends: [{ nickname: undefined }] });
  await expect(setNickname('third', { nametag: eve!.nametag })).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
  });
});
