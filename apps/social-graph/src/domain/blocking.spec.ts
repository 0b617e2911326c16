import { describe, expect, it } from '@jest/globals';
import { activeShare } from '../test-support/active-share';
import { decideBlock, decideUnblock } from './blocking';
import { decideFriendship, type FriendCommand } from './friendship';
import { positionOf } from './listing';
import { isRefusal, noTie, otherSide, viewOf, type Decision, type Side, type Tie } from './tie/tie';
import { testPolicy } from '../test-support/test-policy';

const policy = testPolicy({ cooldownMs: 7_000, requestNoticeEveryMs: 1_000 });
const start = new Date('2026-01-01T00:00:00Z');
const later = new Date(start.getTime() + 5);
const move = (tie: Tie, me: Side, now = start) => ({ tie, me, policy, now });

function nextOf(decision: Decision): Tie {
  if (isRefusal(decision) || !decision.tie) throw new Error('nothing changed');
  return decision.tie;
}
const block = (tie: Tie, me: Side) => nextOf(decideBlock(move(tie, me)));
const unblock = (tie: Tie, me: Side) => nextOf(decideUnblock(move(tie, me)));
const call = (command: FriendCommand, tie: Tie, me: Side) =>
  nextOf(decideFriendship(command, move(tie, me)));

describe.each(['low', 'high'] as const)('blocking by the %s side', (me) => {
  const other = otherSide[me];
  const requestedBy = (by: Side): Tie => ({
    ...noTie,
    bond: { kind: 'requested', by, since: start },
  });
  const friends: Tie = {
    ...noTie,
    bond: { kind: 'friends', since: start },
    shares: [activeShare('low', start), activeShare('high', start)],
  };

  it.each([
    { state: 'no tie', tie: noTie, theirs: 'none', cooldown: {} },
    { state: 'a request by the blocker', tie: requestedBy(me), theirs: 'none', cooldown: {} },
    {
      state: 'a request to the blocker',
      tie: requestedBy(other),
      theirs: 'pending_out',
      cooldown: {},
    },
    {
      state: 'a friendship',
      tie: friends,
      theirs: 'none',
      cooldown: { [me]: new Date(later.getTime() + policy.cooldownMs) },
    },
  ])(
    'a block where there is $state sends no notice and leaves no tie visible to the blocker',
    ({ tie, theirs, cooldown }) => {
      const decision = decideBlock(move(tie, me, later));
      expect(decision).toMatchObject({ answer: 'blocked', notice: undefined });
      const next = nextOf(decision);
      expect([viewOf(next, me), viewOf(next, other)]).toEqual(['none', theirs]);
      expect(next).toMatchObject({ shares: [], cooldownUntil: cooldown });
      expect(next.cooldownUntil).toEqual(cooldown);
      expect(next.blockedSince).toEqual({ [me]: later });
    },
  );

  it('a repeated block changes nothing and keeps the original time', () => {
    expect(decideBlock(move(block(noTie, me), me, later))).toEqual({
      tie: undefined,
      answer: 'already_blocked',
      notice: undefined,
    });
  });

  it('unblocking a user whom the caller has not blocked is refused', () => {
    for (const tie of [noTie, requestedBy(me), requestedBy(other), friends, block(noTie, other)]) {
      expect(decideUnblock(move(tie, me))).toEqual({ refused: 'not_blocked' });
    }
  });

  it('the blocked side gets the same answers to its requests as without the block', () => {
    const blocked = block(noTie, me);
    const steps = (tie: Tie) => {
      const asked = decideFriendship('add', move(tie, other));
      const again = decideFriendship('add', move(nextOf(asked), other));
      const canceled = decideFriendship('remove', move(nextOf(asked), other));
      const twice = decideFriendship('remove', move(nextOf(canceled), other));
      return [asked, again, canceled, twice].map((decision) =>
        isRefusal(decision) ? decision : decision.answer,
      );
    };
    expect(steps(blocked)).toEqual(steps(noTie));
    expect(steps(blocked)).toEqual([
      'requested',
      'already_requested',
      'canceled',
      { refused: 'no_relationship' },
    ]);
  });

  it('a request by a blocked user sends no notice and stays hidden from the blocker', () => {
    const asked = decideFriendship('add', move(block(noTie, me), other));
    expect(asked).toMatchObject({ answer: 'requested', notice: undefined });
    const tie = nextOf(asked);
    expect(viewOf(tie, me)).toBe('none');
    expect(positionOf(tie, me, 'otter7')).toEqual({ list: 'block', key: 'otter7' });
    expect(decideFriendship('remove', move(tie, me))).toEqual({ refused: 'no_relationship' });
  });

  it('unblocking reveals, without a notice, a request made during the block', () => {
    const tie = call('add', block(noTie, me), other);
    const lifted = decideUnblock(move(tie, me));
    expect(lifted).toMatchObject({ answer: 'unblocked', notice: undefined });
    const next = nextOf(lifted);
    expect([viewOf(next, me), viewOf(next, other)]).toEqual(['pending_in', 'pending_out']);
    expect(next.blockedSince).toEqual({});
    expect(decideFriendship('add', move(next, me))).toMatchObject({ answer: 'accepted' });
  });

  it('a request hidden by a block does not count as notified, so a later request sends a notice', () => {
    const tie = unblock(call('add', block(noTie, me), other), me);
    const again = decideFriendship('add', move(call('remove', tie, other), other));
    expect(again).toMatchObject({ answer: 'requested', notice: 'friend_requested' });
  });

  it('a user cannot send a request to someone they have blocked until the block is lifted', () => {
    const refused = { refused: 'blocked_by_caller' };
    expect(decideFriendship('add', move(block(noTie, me), me))).toEqual(refused);
    expect(decideFriendship('add', move(block(requestedBy(other), me), me))).toEqual(refused);
    expect(decideFriendship('add', move(unblock(block(noTie, me), me), me))).toMatchObject({
      answer: 'requested',
    });
  });

  it('blocking and unblocking a friend does not bypass the cooldown', () => {
    const tie = unblock(block(friends, me), me);
    expect(decideFriendship('add', move(tie, me))).toMatchObject({ refused: 'cooldown' });
    expect(decideFriendship('add', move(tie, other))).toMatchObject({
      answer: 'requested',
      notice: 'friend_requested',
    });
  });

  it('two users can block each other independently', () => {
    const both = block(call('add', block(noTie, me), other), other);
    expect([viewOf(both, me), viewOf(both, other)]).toEqual(['none', 'none']);
    expect(Object.keys(both.blockedSince).sort()).toEqual(['high', 'low']);
    const blockedByOther = unblock(both, me);
    expect(blockedByOther.blockedSince).toEqual({ [other]: start });
    const asked = decideFriendship('add', move(blockedByOther, me));
    expect(asked).toMatchObject({ answer: 'requested', notice: undefined });
    expect(viewOf(nextOf(asked), other)).toBe('none');
  });
});
