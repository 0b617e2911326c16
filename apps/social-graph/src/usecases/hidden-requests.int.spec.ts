import { describe, expect, it } from '@jest/globals';
import type { DirectoryEntry } from '@daycare/service-kit';
import { useFixture } from '@daycare/testing/jest';
import { openRecordedCalls } from '../test-support/recorded-calls';

const test = useFixture(openRecordedCalls);
const dayMs = 24 * 60 * 60 * 1000;

type Prepare = (ada: DirectoryEntry, bob: DirectoryEntry) => Promise<unknown>;

/** The commands of a request of Ada's to Bob after something happened between them. */
async function commandsAfter(prepare: Prepare): Promise<string[]> {
  const { calls } = test;
  const [ada, bob] = [calls.people.add(), calls.people.add()];
  // Ada's budget is known and the tie exists, so it is updated, in every case.
  await calls.call('addFriend', ada, bob.nametag);
  await calls.call('removeFriend', ada, bob.nametag);
  await prepare(ada, bob);
  return test.commandsOf(() => calls.call('addFriend', ada, bob.nametag));
}

describe('a friend request that causes no notice', () => {
  it('a request to someone who blocked the caller takes the same database commands as any other', async () => {
    const { calls } = test;
    const heard = await commandsAfter(async () => {
      calls.clock = new Date(calls.clock.getTime() + dayMs);
    });
    const blocked = await commandsAfter(async (ada, bob) => {
      await calls.call('blockUser', bob, ada.nametag);
      calls.clock = new Date(calls.clock.getTime() + dayMs);
    });
    const repeated = await commandsAfter(async () => undefined);
    expect(heard).toContain('update ties');
    expect(blocked).toEqual(heard);
    expect(repeated).toEqual(heard);
  });

  it('a request to a stranger who blocked the caller takes as many database commands as to any other stranger', async () => {
    const { calls } = test;
    const commandsToStranger = async (prepare: Prepare): Promise<string[]> => {
      const [ada, bob] = [calls.people.add(), calls.people.add()];
      await calls.call('addFriend', ada, calls.people.add().nametag);
      await prepare(ada, bob);
      return test.commandsOf(() => calls.call('addFriend', ada, bob.nametag));
    };
    const heard = await commandsToStranger(async () => undefined);
    const blocked = await commandsToStranger((ada, bob) =>
      calls.call('blockUser', bob, ada.nametag),
    );
    // The block is a tie, which is updated where a new one is inserted; nothing else differs.
    expect(heard).toContain('insert ties');
    expect(blocked).toEqual(heard.map((each) => each.replace('insert ties', 'update ties')));
  });
});
