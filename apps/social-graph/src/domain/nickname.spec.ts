import { describe, expect, it } from '@jest/globals';
import { decideNickname } from './nickname';
import { testPolicy } from '../test-support/test-policy';
import { noTie, type Tie } from './tie/tie';

const now = new Date('2026-01-01T00:00:00Z');
const friends: Tie = { ...noTie, bond: { kind: 'friends', since: now } };
const nameBy = (tie: Tie, me: 'low' | 'high', nickname: string) =>
  decideNickname({ tie, me, now, policy: testPolicy() }, nickname);

describe('decideNickname', () => {
  it('stores a nickname for one side only, and removes it when the new one is empty', () => {
    const named = nameBy(friends, 'low', 'Bob');
    expect(named).toMatchObject({ tie: { nicknames: { low: 'Bob' } }, notice: undefined });
    const both = nameBy({ ...friends, nicknames: { low: 'Bob' } }, 'high', 'Ada');
    expect(both).toMatchObject({ tie: { nicknames: { low: 'Bob', high: 'Ada' } } });
    expect(nameBy({ ...friends, nicknames: { low: 'Bob' } }, 'low', '')).toMatchObject({
      tie: friends,
    });
  });

  it('refuses a nickname for anyone but a friend', () => {
    expect(nameBy(noTie, 'low', 'Bob')).toEqual({ refused: 'not_friends' });
    const asked: Tie = { ...noTie, bond: { kind: 'requested', by: 'low', since: now } };
    expect(nameBy(asked, 'low', 'Bob')).toEqual({ refused: 'not_friends' });
  });
});
