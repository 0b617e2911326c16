import { describe, expect, it } from '@jest/globals';
import { numbered, testFriend, testFriends, testShare } from '../test-support/test-facts';
import { scopeOf } from './scope';

const helper = { id: 's1', name: 'helper', nametag: 'coolcat11' };
const subusers = { subusers: [helper], isCut: false };
const friends = [
  testFriends([
    testFriend({
      sharesOut: [testShare({ subuserId: 's1' })],
      sharesIn: [testShare({ subuserId: 's9' })],
    }),
  ]),
];

describe('whose things are read', () => {
  it('for an owner are its own and its subusers’, and of what friends share only the gateway', () => {
    expect(scopeOf({ userId: 'u1' }, { subusers, friends })).toEqual({
      userIds: ['u1', 's1'],
      gatewayUserIds: ['s1', 's9'],
      isCut: false,
    });
  });

  it('for a subuser are its own, whatever is known of others', () => {
    const viewer = { userId: 's1', parentUserId: 'u1' };
    expect(scopeOf(viewer, { subusers, friends })).toEqual({
      userIds: ['s1'],
      gatewayUserIds: [],
      isCut: false,
    });
  });

  it('are only those that are sure while nobody tells of subusers or friends', () => {
    const facts = { subusers: undefined, friends: [undefined] };
    expect(scopeOf({ userId: 'u1' }, facts)).toEqual({
      userIds: ['u1'],
      gatewayUserIds: [],
      isCut: true,
    });
    expect(scopeOf({ userId: 'u1' }, { subusers: undefined, friends }).userIds).toEqual(['u1']);
  });

  it('are no more than can be asked for at once', () => {
    const many = numbered(2_000, (index) => ({ ...helper, id: `s${index}` }));
    const scope = scopeOf(
      { userId: 'u1' },
      { subusers: { subusers: many, isCut: false }, friends },
    );
    expect(scope).toMatchObject({ isCut: true });
    expect([scope.userIds.length, scope.gatewayUserIds.length]).toEqual([2_000, 2_000]);
    expect(scope.userIds[0]).toBe('u1');
  });
});
