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
  it('a top-level user’s scope covers its own and its subusers’ data, and only the gateway agents of shared subusers', () => {
    expect(scopeOf({ userId: 'u1' }, { subusers, friends })).toEqual({
      userIds: ['u1', 's1'],
      gatewayUserIds: ['s1', 's9'],
      isPartial: false,
    });
  });

  it('a subuser’s scope covers only its own data, whatever else is known', () => {
    const viewer = { userId: 's1', parentUserId: 'u1' };
    expect(scopeOf(viewer, { subusers, friends })).toEqual({
      userIds: ['s1'],
      gatewayUserIds: [],
      isPartial: false,
    });
  });

  it('a scope leaves out subusers and friends whose source is unavailable', () => {
    const facts = { subusers: undefined, friends: [undefined] };
    expect(scopeOf({ userId: 'u1' }, facts)).toEqual({
      userIds: ['u1'],
      gatewayUserIds: [],
      isPartial: true,
    });
    expect(scopeOf({ userId: 'u1' }, { subusers: undefined, friends }).userIds).toEqual(['u1']);
  });

  it('a scope never includes more users than agent-runtime accepts in one request', () => {
    const many = makeMany(2_000, (index) => ({ ...helper, id: `s${index}` }));
    const scope = scopeOf({ userId: 'u1' }, { subusers: testSubusers(many), friends });
    expect(scope).toMatchObject({ isPartial: true });
    expect([scope.userIds.length, scope.gatewayUserIds.length]).toEqual([2_000, 2_000]);
    expect(scope.userIds[0]).toBe('u1');
  });
});
