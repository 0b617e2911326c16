import { describe, expect, it } from '@jest/globals';
import type { DirectoryEntry } from '@daycare/service-kit';
import { useFixture } from '@daycare/testing/jest';
import { openRecordedCalls } from '../test-support/recorded-calls';

const test = useFixture(openRecordedCalls);

type Pair = readonly [DirectoryEntry, DirectoryEntry];

/** Counts commands instead of measuring times, because counts are the same on any machine. */
describe('64 concurrent calls', () => {
  const newPairs = (): Pair[] =>
    Array.from({ length: 64 }, () => [test.calls.people.add(), test.calls.people.add()]);
  const forAll = (pairs: readonly Pair[], call: (pair: Pair) => Promise<unknown>) =>
    test.commandsOf(() => Promise.all(pairs.map(call)));
  const ask = ([ada, bob]: Pair) => test.calls.call('addFriend', ada, bob.nametag);
  const accept = ([ada, bob]: Pair) => test.calls.call('addFriend', bob, ada.nametag);
  const send = ([ada, bob]: Pair) => test.calls.send(ada, bob.nametag);

  it('each batch of 64 concurrent requests, acceptances or messages takes only a few database commands', async () => {
    const pairs = newPairs();
    expect((await forAll(pairs, ask)).sort()).toEqual([
      'aggregate outbox',
      'aggregate ties',
      'aggregate ties',
      'find deleted_users',
      'find request_budgets',
      'find ties',
      'insert request_budgets',
      'insert ties',
    ]);
    expect((await forAll(pairs, accept)).sort()).toEqual([
      'aggregate outbox',
      'find deleted_users',
      'find ties',
      'update ties',
    ]);
    expect((await forAll(pairs, send)).sort()).toEqual([
      'aggregate outbox',
      'find ties',
      'insert outbox',
    ]);
  });
});

describe('a list of friends', () => {
  it('listing friends takes one command for the digest and two for the friends, or only the first if nothing changed', async () => {
    const [ada] = await test.calls.newFriends();
    const list = (knownDigest?: string) =>
      test.calls.usecases.listFriends({
        callerId: ada.userId,
        pageSize: 10,
        pageToken: '',
        knownDigest,
      });
    expect(await test.commandsOf(() => list())).toEqual([
      'aggregate ties',
      'find ties',
      'find ties',
    ]);
    const { digest } = await test.calls.list(ada);
    expect(await test.commandsOf(() => list(digest))).toEqual(['aggregate ties']);
  });
});
