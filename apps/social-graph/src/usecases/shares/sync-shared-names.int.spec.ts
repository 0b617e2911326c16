import { expect, it } from '@jest/globals';
import type { DirectoryEntry } from '@daycare/service-kit';
import { useFixture } from '@daycare/testing/jest';
import { pairOf } from '../../domain/tie/pair';
import { noTie, type Share } from '../../domain/tie/tie';
import { openTestCalls } from '../../test-support/test-calls';

const test = useFixture(openTestCalls);

interface Sharing {
  readonly ada: DirectoryEntry;
  readonly bob: DirectoryEntry;
  readonly helper: DirectoryEntry;
}

async function newSharing(): Promise<Sharing> {
  const [ada, bob] = await test.newFriends();
  const helper = test.people.add(ada);
  await test.share('shareSubuser', ada, bob.nametag, helper.userId);
  return { ada, bob, helper };
}

async function nameShownTo(user: DirectoryEntry): Promise<string | undefined> {
  const { friends } = await test.list(user);
  return friends[0]?.sharesIn[0]?.subuserName;
}

/** Renames a subuser in identity, then handles the rename notice. */
async function rename({ userId }: DirectoryEntry, name: string): Promise<void> {
  test.people.rename(userId, name);
  await test.syncSharedNames(userId);
}

it('an offer stores the subuser’s name and description with the share', async () => {
  const { bob } = await newSharing();
  const { friends } = await test.list(bob);
  expect(friends[0]?.sharesIn).toMatchObject([
    { subuserName: 'Helper', subuserDescription: 'Knows the recipes' },
  ]);
});

it('a rename appears in the friend’s next list and changes the digests of both sides', async () => {
  const { ada, bob, helper } = await newSharing();
  const before = await Promise.all([ada, bob].map((user) => test.list(user)));
  await rename(helper, 'Cook');
  expect(await nameShownTo(bob)).toBe('Cook');
  const after = await Promise.all([ada, bob].map((user) => test.list(user)));
  after.forEach(({ digest }, index) => expect(digest).not.toBe(before[index]!.digest));
  await test.syncSharedNames(helper.userId);
  const again = await Promise.all([ada, bob].map((user) => test.list(user)));
  expect(again).toEqual(after);
});

it('a rename updates every share of the subuser, even across batches, but no other subuser’s shares', async () => {
  const ada = test.people.add();
  const [helper, other] = [test.people.add(ada), test.people.add(ada)];
  const friends = test.people.addMany(230);
  await Promise.all(
    friends.map(({ userId, nametag }) => {
      const { pair, me: owner } = pairOf(ada, { userId, nametag });
      const shares = [helper, other].map((subuser) => shareOf(subuser, owner));
      const bond = { kind: 'friends', since: test.clock } as const;
      return test.ties.save({ pair, tie: { ...noTie, bond, shares }, recent: [], version: 0 });
    }),
  );
  await rename(helper, 'Cook');
  const { friends: listed } = await test.list(ada, 1_000);
  const names = listed.map(({ sharesOut }) => sharesOut.map(({ subuserName }) => subuserName));
  expect(names).toEqual(friends.map(() => ['Cook', 'Helper']));
});

it('a subuser that is renamed during an offer is shared under its new name', async () => {
  const [ada, bob] = await test.newFriends();
  const helper = test.people.add(ada);
  // The notice arrives before the share is stored, so it finds no share to update.
  test.people.beforeNextAnswer = () => rename(helper, 'Cook');
  await test.share('shareSubuser', ada, bob.nametag, helper.userId);
  expect(await nameShownTo(bob)).toBe('Cook');
});

it('an offer that was interrupted before it read the name again is completed by its retry', async () => {
  const [ada, bob] = await test.newFriends();
  const helper = test.people.add(ada);
  const offer = () => test.share('shareSubuser', ada, bob.nametag, helper.userId, 'offer');
  test.people.beforeNextAnswer = async () => {
    await rename(helper, 'Cook');
    test.people.beforeNextAnswer = () => Promise.reject(new Error('killed'));
  };
  await expect(offer()).rejects.toThrow('killed');
  expect(await nameShownTo(bob)).toBe('Helper');
  await offer();
  expect(await nameShownTo(bob)).toBe('Cook');
});

it('a rename notice that is handled late does not undo a newer rename', async () => {
  const { bob, helper } = await newSharing();
  test.people.rename(helper.userId, 'First');
  const versions = async () =>
    (await test.ties.findBySharedSubuser(helper.userId, 1)).map(({ version }) => version);
  let newer: number[] = [];
  test.people.beforeNextAnswer = async () => {
    await rename(helper, 'Second');
    newer = await versions();
  };
  await test.syncSharedNames(helper.userId);
  expect(await nameShownTo(bob)).toBe('Second');
  // The older name was not stored, not even for a moment.
  expect(await versions()).toEqual(newer);
});

it('a rename and a concurrent change to the same tie both take effect', async () => {
  const { bob, helper } = await newSharing();
  test.people.rename(helper.userId, 'Cook');
  test.people.beforeNextAnswer = () => test.call('addFriend', bob, helper.nametag);
  await test.syncSharedNames(helper.userId);
  const { friends } = await test.list(bob);
  expect(friends[0]?.sharesIn).toMatchObject([{ subuserName: 'Cook', status: 'active' }]);
});

it('a rename does not bring back a share that is revoked at the same time', async () => {
  const { ada, bob, helper } = await newSharing();
  test.people.rename(helper.userId, 'Cook');
  test.people.beforeNextAnswer = () =>
    test.share('unshareSubuser', ada, bob.nametag, helper.userId);
  await test.syncSharedNames(helper.userId);
  expect((await test.list(bob)).friends[0]?.sharesIn).toEqual([]);
});

function shareOf({ userId, nametag }: DirectoryEntry, owner: Share['owner']): Share {
  return {
    subuserId: userId,
    subuserNametag: nametag,
    subuserName: 'Helper',
    subuserDescription: 'Knows the recipes',
    owner,
    status: 'pending',
    offeredAt: test.clock,
    acceptedAt: undefined,
  };
}
