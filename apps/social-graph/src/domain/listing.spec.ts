import { describe, expect, it } from '@jest/globals';
import { positionOf } from './listing';
import { pairId, pairOf } from './tie/pair';
import { noTie, otherSide, type Tie } from './tie/tie';

const since = new Date('2026-03-04T05:06:07.089Z');

describe.each(['low', 'high'] as const)('positionOf for the %s side of a pair', (me) => {
  const other = otherSide[me];
  const requested: Tie = { ...noTie, bond: { kind: 'requested', by: me, since } };
  const friends: Tie = { ...noTie, bond: { kind: 'friends', since } };

  it('omits users with whom there is no visible tie', () => {
    expect(positionOf(noTie, me, 'otter7')).toBeUndefined();
    expect(positionOf({ ...noTie, cooldownUntil: { [me]: since } }, me, 'otter7')).toBeUndefined();
    expect(
      positionOf({ ...noTie, blockedSince: { [other]: since } }, me, 'otter7'),
    ).toBeUndefined();
  });

  it('lists friends and blocks by nametag', () => {
    expect(positionOf(friends, me, 'otter7')).toEqual({ list: 'friend', key: 'otter7' });
    const blocked = { ...noTie, blockedSince: { [me]: since } };
    expect(positionOf(blocked, me, 'otter7')).toEqual({ list: 'block', key: 'otter7' });
  });

  it('lists requests by age, then by nametag', () => {
    const key = '2026-03-04T05:06:07.089Z otter7';
    expect(positionOf(requested, me, 'otter7')).toEqual({ list: 'request_out', key });
    expect(positionOf(requested, other, 'otter7')).toEqual({ list: 'request_in', key });
  });

  it('lists a blocked requester as blocked, while the requester still sees a pending request', () => {
    const hidden = { ...requested, blockedSince: { [other]: since } };
    expect(positionOf(hidden, other, 'otter7')).toEqual({ list: 'block', key: 'otter7' });
    expect(positionOf(hidden, me, 'otter7')).toMatchObject({ list: 'request_out' });
  });
});

describe('pairOf', () => {
  it('returns the same pair whichever member calls, together with the caller’s side', () => {
    const ada = { userId: 'a1', nametag: 'swiftfox42' };
    const bob = { userId: 'b1', nametag: 'otter7' };
    const pair = { id: 'a1:b1', low: ada, high: bob };
    expect(pairOf(ada, bob)).toEqual({ pair, me: 'low' });
    expect(pairOf(bob, ada)).toEqual({ pair, me: 'high' });
    expect([pairId('a1', 'b1'), pairId('b1', 'a1')]).toEqual(['a1:b1', 'a1:b1']);
  });
});
