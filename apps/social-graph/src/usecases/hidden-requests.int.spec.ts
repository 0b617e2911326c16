import { describe, expect, it } from '@jest/globals';
import type { DirectoryEntry } from '@daycare/service-kit';
import { useFixture } from '@daycare/testing/jest';
import { openRecordedCalls } from '../test-support/recorded-calls';

const test = useFixture(openRecordedCalls);
const dayMs = 24 * 60 * 60 * 1000;

type Prepare = (ada: DirectoryEntry, bob: DirectoryEntry) => Promise<unknown>;

/** Returns the database commands of a request from Ada to Bob after `prepare` has run. */
async function commandsAfter(prepare: Prepare): Promise<string[]> {
  const { calls } = test;
  const [ada, bob] = [calls.people.add(), calls.people.add()];
  // Ada's budget and the tie exist already, so every case updates them.
  await calls.call('addFriend', ada, bob.nametag);
  await calls.call('removeFriend', ada, bob.nametag);
  await prepare(ada, bob);
  return test.commandsOf(() => calls.call('addFriend', ada, bob.nametag));
}

describe('a friend request that causes no notice', () => {
  it('where a tie already exists, a request to someone who blocked the caller takes the same database commands as any other', async () => {
    const { calls } = test;
    const notified = await commandsAfter(async () => {
      calls.clock = new Date(calls.clock.getTime() + dayMs);
    });
    const blocked = await commandsAfter(async (ada, bob) => {
      await calls.call('blockUser', bob, ada.nametag);
      calls.clock = new Date(calls.clock.getTime() + dayMs);
    });
    const repeated = await commandsAfter(async () => undefined);
    expect(notified).toContain('update ties');
    expect(blocked).toEqual(notified);
    expect(repeated).toEqual(notified);
  });

  it('a request to a stranger who blocked the caller takes as many database commands as a request to any other stranger', async () => {
    const { calls } = test;
    const commandsToStranger = async (prepare: Prepare): Promise<string[]> => {
      const [ada, bob] = [calls.people.add(), calls.people.add()];
      await calls.call('addFriend', ada, calls.people.add().nametag);
      await prepare(ada, bob);
      return test.commandsOf(() => calls.call('addFriend', ada, bob.nametag));
    };
    const notified = await commandsToStranger(async () => undefined);
    const blocked = await commandsToStranger((ada, bob) =>
      calls.call('blockUser', bob, ada.nametag),
    );
    // A block is a tie, so the request updates it instead of inserting one; nothing else differs.
    expect(notified).toContain('insert ties');
    expect(blocked).toEqual(
      notified.map((command) => command.replace('insert ties', 'update ties')),
    );
  });
});
