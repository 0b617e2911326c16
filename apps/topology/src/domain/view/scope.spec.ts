import { describe, expect, it } from '@jest/globals';
import {
  makeMany,
  testFriend,
  testFriends,
  testShare,
  testSubuser,
  testSubusers,
} from '../../test-support/test-facts';
import { scopeOf } from './scope';

const helper = testSubuser();
const subusers = testSubusers([helper]);
const friends = [
  testFriends([
    testFriend({
      sharesOut: [testShare({ subuserId: 's1' })],
      sharesIn: [testShare({ subuserId: 's9' })],
    }),
  ]),
];

describe('scopeOf', () => {
  it('lets a top-level user see its own and its subusers’ data, and only the gateways of shared subusers', () => {
    expect(scopeOf({ userId: 'u1' }, { subusers, friends })).toEqual({
      userIds: ['u1', 's1'],
      gatewayUserIds: ['s1', 's9'],
      isCut: false,
    });
  });

  it('lets a subuser see only its own data, whatever else is known', () => {
    const viewer = { userId: 's1', parentUserId: 'u1' };
    expect(scopeOf(viewer, { subusers, friends })).toEqual({
      userIds: ['s1'],
      gatewayUserIds: [],
      isCut: false,
    });
  });

  it('leaves out subusers and friends while their source is unavailable', () => {
    const facts = { subusers: undefined, friends: [undefined] };
    expect(scopeOf({ userId: 'u1' }, facts)).toEqual({
      userIds: ['u1'],
      gatewayUserIds: [],
      isCut: true,
    });
    expect(scopeOf({ userId: 'u1' }, { subusers: undefined, friends }).userIds).toEqual(['u1']);
  });

  it('never exceeds what agent-runtime accepts in one request', () => {
    const many = makeMany(2_000, (index) => ({ ...helper, id: `s${index}` }));
    const scope = scopeOf({ userId: 'u1' }, { subusers: testSubusers(many), friends });
    expect(scope).toMatchObject({ isCut: true });
    expect([scope.userIds.length, scope.gatewayUserIds.length]).toEqual([2_000, 2_000]);
    expect(scope.userIds[0]).toBe('u1');
  });
});
