import { describe, expect, it } from '@jest/globals';
import {
  numbered,
  testFriend,
  testFriends,
  testScope,
  testShare,
  testView,
} from '../test-support/test-facts';

const self = { userId: 'u1', nametag: 'swiftfox42' };
const helper = { id: 's1', name: 'helper', nametag: 'coolcat11' };
const gateway = { agentId: 'gw1', lifecycle: 'active' as const };

describe('gateways', () => {
  it('are those of subusers and shares; one that was never made is none', () => {
    const view = testView(self, {
      subusers: { subusers: [helper, { ...helper, id: 's2' }], isCut: false },
      friends: testFriends([testFriend({ sharesIn: [testShare({ subuserId: 's9' })] })]),
      scope: testScope({
        gateways: new Map([
          ['s1', gateway],
          ['s9', gateway],
        ]),
      }),
    });
    expect(view.subusers?.entries.map((each) => each.gateway)).toEqual([gateway, 'none']);
    // Whether a friend's subuser is awake is not told, so it changes nothing that is seen.
    expect(view.friends?.entries[0]?.sharesIn[0]?.gateway).toEqual({ agentId: 'gw1' });
    expect([view.subusers?.status, view.friends?.status]).toEqual(['available', 'available']);
  });

  it('are unknown, and the section partial, beyond what can be asked for at once', () => {
    const subusers = numbered(1_999, (index) => ({ ...helper, id: `s${index}` }));
    const shares = ['f1', 'f2'].map((subuserId) => testShare({ subuserId }));
    const view = testView(self, {
      subusers: { subusers, isCut: false },
      friends: testFriends([testFriend({ sharesIn: shares })]),
    });
    expect(view.friends?.entries[0]?.sharesIn.map((each) => each.gateway)).toEqual([
      'none',
      'unknown',
    ]);
    expect([view.agents.status, view.subusers?.status, view.friends?.status]).toEqual([
      'available',
      'available',
      'partial',
    ]);
  });
});

describe('a section', () => {
  it('of people without shares or subusers is whole although agent-runtime is down', () => {
    const friends = testFriends([testFriend()]);
    const view = testView(self, { friends, scope: undefined });
    expect([view.subusers?.status, view.friends?.status]).toEqual(['available', 'available']);
    expect(view.agents).toEqual({ status: 'unavailable', entries: [], count: 0 });
  });

  it('is partial when there are more subusers than can be looked at', () => {
    const view = testView(self, { subusers: { subusers: [helper], isCut: true } });
    expect([view.agents.status, view.subusers?.status]).toEqual(['partial', 'partial']);
  });
});
