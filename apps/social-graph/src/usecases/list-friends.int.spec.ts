import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DirectoryEntry } from '@daycare/service-kit';
import { openTestCalls, type TestCalls } from '../test-support/test-calls';

let test: TestCalls;
beforeAll(async () => {
  test = await openTestCalls();
});
afterAll(() => test.close());

/** Lists of which a page of one does not show all. */
async function newPair(): Promise<[DirectoryEntry, DirectoryEntry]> {
  const [ada, bob] = await test.newFriends();
  for (const user of [ada, bob])
    for (const other of [test.people.add(), test.people.add()])
      await test.call('addFriend', user, other.nametag);
  return [ada, bob];
}

const digestOf = async (user: DirectoryEntry): Promise<string> => (await test.list(user, 1)).digest;

it('the digest of lists tells of changes on every page, and is not needed when there is one', async () => {
  const [ada, bob] = await newPair();
  expect((await test.list(ada)).digest).toBe('');
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

it('whoever is blocked has the digest it had before, and a request that is hidden changes none', async () => {
  const [ada, bob] = await newPair();
  const eve = test.people.add();
  await test.call('addFriend', ada, eve.nametag);
  const [adas, bobs] = [await digestOf(ada), await digestOf(bob)];
  await test.call('blockUser', eve, ada.nametag);
  expect(await digestOf(ada)).toBe(adas);
  const dan = test.people.add();
  await test.call('blockUser', bob, dan.nametag);
  const blocking = await digestOf(bob);
  expect(blocking).not.toBe(bobs);
  await test.call('addFriend', dan, bob.nametag);
  expect(await digestOf(bob)).toBe(blocking);
});
