import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@daycare/api';
import type { DirectoryEntry } from '@daycare/service-kit';
import { uniqueName } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { openRecordedCalls } from '../test-support/recorded-calls';
import type { Lookups } from '../usecases/lookups';
import { makeGuardLookups } from './nametag-guard';

const test = useFixture(openRecordedCalls);

type Attempt = (by: DirectoryEntry, nametag: string, lookups: Lookups) => Promise<unknown>;

const aCall = ({ userId: callerId }: DirectoryEntry, nametag: string, lookups: Lookups) => ({
  callerId,
  nametag,
  lookups,
  requestId: uniqueName('r'),
});
const share = async (by: DirectoryEntry, friendNametag: string, lookups: Lookups) => {
  const subuser = test.calls.people.add(by);
  await test.calls.people.directory.findById(subuser.userId);
  const call = { ...aCall(by, '', lookups), friendNametag, subuserId: subuser.userId };
  return test.calls.usecases.shareSubuser(call);
};

describe('a nametag that the caller may not see', () => {
  const attempts: Readonly<Record<string, Attempt>> = {
    adding: (...args) => test.calls.usecases.addFriend(aCall(...args)),
    removing: (...args) => test.calls.usecases.removeFriend(aCall(...args)),
    blocking: (...args) => test.calls.usecases.blockUser(aCall(...args)),
    limiting: (...args) => test.calls.usecases.setFriendLimits({ ...aCall(...args), limits: {} }),
    nicknaming: (...args) =>
      test.calls.usecases.setFriendNickname({ ...aCall(...args), nickname: 'Bob' }),
    'sharing with': share,
    'sending to': (...args) => {
      const message = { agentId: undefined, turn: {}, message: 'Hello' };
      return test.calls.usecases.sendFriendMessage({ ...aCall(...args), ...message });
    },
  };

  /** Counts a call's look-ups in identity and its reads in MongoDB. */
  async function costOf(by: DirectoryEntry, nametag: string, attempt: Attempt) {
    const fillerLookups = { nametags: 0, ids: 0 };
    let callLookups: Lookups | undefined;
    const { ties } = test.calls;
    const guard = makeGuardLookups(100, {
      nametags: async () => void (fillerLookups.nametags += 1),
      ids: async () => void (fillerLookups.ids += 1),
      reads: () => ties.find('absent:pair'),
    });
    const call = guard({ userId: by.userId, name: nametag }, (lookups) => {
      callLookups = lookups;
      return attempt(by, nametag, lookups);
    });
    const commands = await test.commandsOf(() =>
      call.then(
        () => expect('answered').toBe('refused'),
        (error: unknown) => expect((error as AppError).code).toBe('NOT_FOUND'),
      ),
    );
    return {
      nametags: fillerLookups.nametags + (callLookups?.nametags ?? 0),
      ids: fillerLookups.ids + (callLookups?.ids ?? 0),
      reads: commands.filter((command) => command.startsWith('find')).length,
    };
  }

  it.each(Object.entries(attempts))(
    '%s a hidden nametag takes as many look-ups as if the nametag did not exist, whether or not it is cached',
    async (_, attempt) => {
      const { people } = test.calls;
      const eve = people.add();
      const hidden = people.add(people.add());
      const cost = { nametags: 1, ids: 1, reads: 2 };
      expect(await costOf(eve, 'nobody1', attempt)).toEqual(cost);
      expect(await costOf(eve, hidden.nametag, attempt)).toEqual(cost);
      expect(await costOf(eve, hidden.nametag, attempt)).toEqual(cost);
    },
  );
});
