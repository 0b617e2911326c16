import { describe, expect, it } from '@jest/globals';
import { placeOf } from './listing';
import { pairId, pairOf } from './pair';
import { noTie, otherSide, type Tie } from './tie';

const since = new Date('2026-03-04T05:06:07.089Z');

describe.each(['low', 'high'] as const)('the %s side', (me) => {
  const other = otherSide[me];
  const requested: Tie = { ...noTie, bond: { kind: 'requested', by: me, since } };
  const friends: Tie = { ...noTie, bond: { kind: 'friends', since } };

  it('lists nobody with whom there is nothing', () => {
    expect(placeOf(noTie, me, 'otter7')).toBeUndefined();
    expect(placeOf({ ...noTie, cooldownUntil: { [me]: since } }, me, 'otter7')).toBeUndefined();
    expect(placeOf({ ...noTie, blockedSince: { [other]: since } }, me, 'otter7')).toBeUndefined();
  });

  it('lists friends and blocks by nametag', () => {
    expect(placeOf(friends, me, 'otter7')).toEqual({ list: 'friend', key: 'otter7' });
    const blocked = { ...noTie, blockedSince: { [me]: since } };
    expect(placeOf(blocked, me, 'otter7')).toEqual({ list: 'block', key: 'otter7' });
  });

  it('lists requests by age, those of the same moment by nametag', () => {
    const key = '2026-03-04T05:06:07.089Z otter7';
    expect(placeOf(requested, me, 'otter7')).toEqual({ list: 'request_out', key });
    expect(placeOf(requested, other, 'otter7')).toEqual({ list: 'request_in', key });
  });

  it('lists a blocked asker as blocked, who sees its request as before', () => {
    const hidden = { ...requested, blockedSince: { [other]: since } };
    expect(placeOf(hidden, other, 'otter7')).toEqual({ list: 'block', key: 'otter7' });
    expect(placeOf(hidden, me, 'otter7')).toMatchObject({ list: 'request_out' });
  });
});

describe('a pair', () => {
  it('is the same whoever calls, and knows which side that is', () => {
    const ada = { userId: 'a1', nametag: 'swiftfox42' };
    const bob = { userId: 'b1', nametag: 'otter7' };
    const pair = { id: 'a1:b1', low: ada, high: bob };
    expect(pairOf(ada, bob)).toEqual({ pair, me: 'low' });
    expect(pairOf(bob, ada)).toEqual({ pair, me: 'high' });
    expect([pairId('a1', 'b1'), pairId('b1', 'a1')]).toEqual(['a1:b1', 'a1:b1']);
  });
});
