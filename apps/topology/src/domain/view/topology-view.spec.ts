import { describe, expect, it } from '@jest/globals';
import {
  makeMany,
  testFriend,
  testFriends,
  testScope,
  testShare,
  testSubuser,
  testSubusers,
  testView,
} from '../../test-support/test-facts';

const self = { userId: 'u1', nametag: 'swiftfox42' };
const helper = testSubuser();
const gateway = { agentId: 'gw1', lifecycle: 'active' as const };

describe('gateways in a view', () => {
  it('a view contains the gateway agents of subusers and shares, and `none` for a subuser that has none', () => {
    const view = testView(self, {
      subusers: testSubusers([helper, { ...helper, id: 's2' }]),
      friends: testFriends([testFriend({ sharesIn: [testShare({ subuserId: 's9' })] })]),
      scope: testScope({
        gateways: new Map([
          ['s1', gateway],
          ['s9', gateway],
        ]),
      }),
    });
    expect(view.subusers?.entries.map(({ gateway: shown }) => shown)).toEqual([gateway, 'none']);
    // The lifecycle is hidden from friends, so it must not change the revision of their views either.
    expect(view.friends?.entries[0]?.sharesIn[0]?.gateway).toEqual({ agentId: 'gw1' });
    expect([view.subusers?.status, view.friends?.status]).toEqual(['available', 'available']);
  });

  it('a view shows gateway agents beyond the request limit as unknown and marks their section partial', () => {
    const subusers = makeMany(1_999, (index) => ({ ...helper, id: `s${index}` }));
    const shares = ['f1', 'f2'].map((subuserId) => testShare({ subuserId }));
    const view = testView(self, {
      subusers: testSubusers(subusers),
      friends: testFriends([testFriend({ sharesIn: shares })]),
    });
    expect(view.friends?.entries[0]?.sharesIn.map(({ gateway: shown }) => shown)).toEqual([
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

describe('the status of a section', () => {
  it('without agent-runtime, the subusers and friends sections are available if there are no subusers or shares', () => {
    const friends = testFriends([testFriend()]);
    const view = testView(self, { friends, scope: undefined });
    expect([view.subusers?.status, view.friends?.status]).toEqual(['available', 'available']);
    expect(view.agents).toEqual({ status: 'unavailable', entries: [], count: 0 });
  });

  it('the agents and subusers sections are partial when there are more subusers than can be read', () => {
    const view = testView(self, { subusers: testSubusers([helper], true) });
    expect([view.agents.status, view.subusers?.status]).toEqual(['partial', 'partial']);
  });
});
