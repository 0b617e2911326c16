import { describe, expect, it } from '@jest/globals';
import { activeShare } from '../test-support/active-share';
import { decideFriendship, type FriendAnswer, type FriendCommand, type Move } from './friendship';
import {
  isRefusal,
  noTie,
  otherSide,
  viewOf,
  type Change,
  type Decision,
  type NoticeKind,
  type RefusalReason,
  type Share,
  type Side,
  type Tie,
  type View,
} from './tie/tie';
import { testPolicy } from '../test-support/test-policy';

const hourMs = 60 * 60 * 1000;
const policy = testPolicy({ cooldownMs: 7 * 24 * hourMs, requestNoticeEveryMs: 24 * hourMs });
const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);
const sides: readonly Side[] = ['low', 'high'];

const share = (owner: Side): Share => activeShare(owner, start);

const tieSeenAs = (view: View, me: Side): Tie => {
  if (view === 'none') return noTie;
  if (view === 'friends') {
    const shares = [share('low'), share('high')];
    return { ...noTie, bond: { kind: 'friends', since: start }, shares };
  }
  const by = view === 'pending_out' ? me : otherSide[me];
  return { ...noTie, bond: { kind: 'requested', by, since: start } };
};

const decide = (command: FriendCommand, tie: Tie, me: Side, now = start) =>
  decideFriendship(command, { tie, me, policy, now });

function allowed(decision: Decision<FriendAnswer>): Change<FriendAnswer> {
  if (isRefusal(decision)) throw new Error(`refused: ${decision.refused}`);
  return decision;
}

/** Runs commands that must be allowed, each at its own time; returns the tie and the notices. */
function play(steps: readonly (readonly [FriendCommand, Side, Date])[], tie = noTie) {
  const notices: (NoticeKind | undefined)[] = [];
  const last = steps.reduce((current, [command, me, now]) => {
    const change = allowed(decide(command, current, me, now));
    notices.push(change.notice);
    return change.tie ?? current;
  }, tie);
  return { tie: last, notices };
}

interface Cell {
  readonly command: FriendCommand;
  readonly view: View;
  readonly mine: View;
  readonly theirs: View;
  readonly answer?: FriendAnswer;
  readonly notice?: NoticeKind;
  readonly refused?: RefusalReason;
  readonly cooldown?: 'me' | 'other';
}

const unchangedIn = (view: View) => {
  const theirs = { pending_out: 'pending_in', none: 'none', friends: 'friends' } as const;
  return { view, mine: view, theirs: theirs[view as keyof typeof theirs] };
};
const ended = { mine: 'none', theirs: 'none' } as const;
const friends = { mine: 'friends', theirs: 'friends' } as const;
const asked = { mine: 'pending_out', theirs: 'pending_in' } as const;

const cells: readonly Cell[] = [
  { command: 'add', view: 'none', ...asked, answer: 'requested', notice: 'friend_requested' },
  { command: 'add', ...unchangedIn('pending_out'), answer: 'already_requested' },
  {
    command: 'add',
    view: 'pending_in',
    ...friends,
    answer: 'accepted',
    notice: 'friend_accepted',
  },
  { command: 'add', ...unchangedIn('friends'), answer: 'already_friends' },
  { command: 'remove', ...unchangedIn('none'), refused: 'no_relationship' },
  { command: 'remove', view: 'pending_out', ...ended, answer: 'canceled' },
  { command: 'remove', view: 'pending_in', ...ended, answer: 'rejected', cooldown: 'other' },
  {
    command: 'remove',
    view: 'friends',
    ...ended,
    answer: 'removed',
    notice: 'friend_removed',
    cooldown: 'me',
  },
];

describe.each(sides)('a friendship command by the %s side', (me) => {
  it.each(cells)(
    'the command $command in state $view has the outcome given in the table',
    (cell) => {
      const tie = tieSeenAs(cell.view, me);
      const now = after(5);
      const decision = decide(cell.command, tie, me, now);
      const next = isRefusal(decision) ? tie : (decision.tie ?? tie);
      expect(isRefusal(decision) ? decision : { answer: decision.answer }).toEqual(
        cell.refused ? { refused: cell.refused } : { answer: cell.answer },
      );
      expect(isRefusal(decision) ? undefined : decision.notice).toBe(cell.notice);
      expect([viewOf(next, me), viewOf(next, otherSide[me])]).toEqual([cell.mine, cell.theirs]);
      const waiting = cell.cooldown === 'me' ? me : otherSide[me];
      const until = new Date(now.getTime() + policy.cooldownMs);
      expect(next.cooldownUntil).toEqual(cell.cooldown ? { [waiting]: until } : {});
      expect(next.shares).toHaveLength(cell.mine === 'friends' ? tie.shares.length : 0);
    },
  );

  it.each(['pending_out', 'friends'] as const)(
    'the command add changes nothing in state %s',
    (view) => {
      expect(allowed(decide('add', tieSeenAs(view, me), me)).tie).toBeUndefined();
    },
  );

  it('a decision does not modify the given tie', () => {
    const tie = tieSeenAs('friends', me);
    const before = structuredClone(tie);
    decide('remove', tie, me);
    expect(tie).toEqual(before);
  });

  it('records when a request was made and when a friendship began', () => {
    const { tie: waiting } = play([['add', me, after(1)]]);
    expect(waiting.bond).toEqual({ kind: 'requested', by: me, since: after(1) });
    const { tie: lasting } = play([['add', otherSide[me], after(2)]], waiting);
    expect(lasting.bond).toEqual({ kind: 'friends', since: after(2) });
  });
});

describe.each(sides)('the cooldown of the %s side', (me) => {
  const other = otherSide[me];
  const week = policy.cooldownMs;

  it('the cooldown starts with the removal and ends on time, to the millisecond', () => {
    const { tie } = play([['remove', me, after(hourMs)]], tieSeenAs('friends', me));
    const allowedAt = after(hourMs + week);
    const early = after(hourMs + week - 1);
    expect(decide('add', tie, me, after(hourMs))).toEqual({ refused: 'cooldown', allowedAt });
    expect(decide('add', tie, me, early)).toEqual({ refused: 'cooldown', allowedAt });
    expect(decide('add', tie, me, allowedAt)).toMatchObject({ answer: 'requested' });
  });

  it('the cooldown starts with the rejection, not with the request', () => {
    const { tie } = play([
      ['add', me, start],
      ['remove', other, after(3 * hourMs)],
    ]);
    const allowedAt = after(3 * hourMs + week);
    expect(decide('add', tie, me, after(week))).toEqual({ refused: 'cooldown', allowedAt });
    expect(decide('add', tie, me, after(3 * hourMs + week - 1))).toMatchObject({ allowedAt });
    expect(decide('add', tie, me, allowedAt)).toMatchObject({ answer: 'requested' });
  });

  it('cancelling a request starts no cooldown', () => {
    const { tie } = play([
      ['add', me, start],
      ['remove', me, after(1)],
    ]);
    expect(tie.cooldownUntil).toEqual({});
    expect(decide('add', tie, me, after(1))).toMatchObject({ answer: 'requested' });
  });

  it('the cooldown does not apply to the other side', () => {
    const { tie } = play([['remove', me, start]], tieSeenAs('friends', me));
    const change = allowed(decide('add', tie, other, start));
    expect(change).toMatchObject({ answer: 'requested', notice: 'friend_requested' });
    expect(change.tie?.cooldownUntil).toEqual(tie.cooldownUntil);
  });

  it('a side in cooldown can accept a request, which ends the cooldown', () => {
    const { tie, notices } = play(
      [
        ['remove', me, start],
        ['add', other, after(1)],
        ['add', me, after(1)],
      ],
      tieSeenAs('friends', me),
    );
    expect(viewOf(tie, me)).toBe('friends');
    expect(tie.cooldownUntil).toEqual({});
    expect(notices).toEqual(['friend_removed', 'friend_requested', 'friend_accepted']);
  });

  it('the cooldown continues when the other side sends and cancels a request', () => {
    const { tie } = play(
      [
        ['remove', me, start],
        ['add', other, after(1)],
        ['remove', other, after(2)],
      ],
      tieSeenAs('friends', me),
    );
    expect(decide('add', tie, me, after(3))).toEqual({
      refused: 'cooldown',
      allowedAt: after(week),
    });
  });

  it('a cooldown of zero allows a new request immediately', () => {
    const move: Move = { tie: tieSeenAs('friends', me), me, policy, now: start };
    const noCooldown = { ...policy, cooldownMs: 0 };
    const { tie } = allowed(decideFriendship('remove', { ...move, policy: noCooldown }));
    expect(decide('add', tie!, me, start)).toMatchObject({ answer: 'requested' });
  });
});

describe.each(sides)('the notices of requests by the %s side', (me) => {
  const other = otherSide[me];
  const day = policy.requestNoticeEveryMs;
  const requestAgain = (at: Date) => [['remove', me, at] as const, ['add', me, at] as const];

  it('a request that is cancelled and repeated sends at most one notice in 24 hours', () => {
    const { notices } = play([
      ['add', me, start],
      ...requestAgain(after(1)),
      ...requestAgain(after(hourMs)),
      ...requestAgain(after(day - 1)),
      ...requestAgain(after(day)),
      ...requestAgain(after(2 * day - 1)),
      ...requestAgain(after(2 * day)),
    ]);
    const notified = notices.flatMap((notice, index) =>
      notice === 'friend_requested' ? [index] : [],
    );
    expect(notified).toEqual([0, 8, 12]);
  });

  it('each side has its own notice interval', () => {
    const { notices } = play([
      ['add', me, start],
      ['remove', me, after(1)],
      ['add', other, after(2)],
    ]);
    expect(notices).toEqual(['friend_requested', undefined, 'friend_requested']);
  });

  it('a request after the end of a friendship sends a notice even within the notice interval', () => {
    const { notices } = play([
      ['add', me, start],
      ['add', other, after(1)],
      ['remove', other, after(2)],
      ['add', me, after(3)],
    ]);
    expect(notices[3]).toBe('friend_requested');
  });
});
