import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideBlock, decideUnblock } from '../blocking';
import { mayMessageFriend } from '../delivery';
import { decideFriendship, type Move } from '../friendship';
import { positionOf } from '../listing';
import { decideSharing, type ShareCommand } from '../sharing';
import { isRefusal, noTie, otherSide, viewOf, type Decision, type Side, type Tie } from './tie';
import { testPolicy } from '../../test-support/test-policy';

const policy = testPolicy({ cooldownMs: 100, requestNoticeEveryMs: 40 });
const sides = ['low', 'high'] as const;
const shareCommands: readonly ShareCommand[] = ['offer', 'accept', 'give_up', 'revoke'];

interface Step {
  readonly command: 'add' | 'remove' | 'block' | 'unblock' | ShareCommand;
  readonly me: Side;
  readonly subuserId: string;
  readonly waitMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  // `add` is twice as likely, so that many sequences reach a friendship.
  command: fc.constantFrom('add', 'add', 'remove', 'block', 'unblock', ...shareCommands),
  me: fc.constantFrom(...sides),
  subuserId: fc.constantFrom('sub1', 'sub2'),
  waitMs: fc.integer({ min: 0, max: 60 }),
});

function decide({ command, subuserId }: Step, move: Move): Decision {
  if (command === 'add' || command === 'remove') return decideFriendship(command, move);
  if (command === 'block') return decideBlock(move);
  if (command === 'unblock') return decideUnblock(move);
  // A subuser has one owner, so each side has its own subusers.
  const isOwnerCommand = command === 'offer' || command === 'revoke';
  const owner = isOwnerCommand ? move.me : otherSide[move.me];
  const id = `${owner}${subuserId}`;
  return decideSharing(command, { ...move, subuser: { id, nametag: id } });
}

interface Moment {
  readonly step: Step;
  readonly before: Tie;
  readonly decision: Decision;
  readonly tie: Tie;
  readonly now: Date;
}

function run(steps: readonly Step[]): Moment[] {
  let tie = noTie;
  let ms = 0;
  return steps.map((current) => {
    const before = tie;
    const now = new Date((ms += current.waitMs));
    const decision = decide(current, { tie, me: current.me, policy, now });
    if (!isRefusal(decision)) tie = decision.tie ?? tie;
    return { step: current, before, decision, tie, now };
  });
}

/** Checks every step of random command sequences. */
function always(check: (moment: Moment) => void): void {
  const sequences = fc.array(step, { maxLength: 40 });
  fc.assert(
    fc.property(sequences, (steps) => run(steps).forEach(check)),
    { numRuns: 300 },
  );
}

describe('a tie after any sequence of commands', () => {
  it('both sides see matching states, except for what a block hides', () => {
    const pairs = ['none/none', 'pending_in/pending_out', 'friends/friends'];
    always(({ tie }) => {
      const views = sides.map((side) => viewOf(tie, side));
      const isHidden = views.includes('pending_out') && views.includes('none');
      if (isHidden) {
        const hider = sides[views.indexOf('none')]!;
        expect(tie.blockedSince[hider]).toBeDefined();
      } else {
        expect(pairs).toContain([...views].sort().join('/'));
      }
    });
  });

  it('shares exist only between friends and end with the friendship', () => {
    always(({ tie, decision }) => {
      if (tie.bond.kind !== 'friends') expect(tie.shares).toEqual([]);
      if (!isRefusal(decision) && decision.answer === 'removed') expect(tie.shares).toEqual([]);
    });
  });

  it('a subuser is shared at most once, by its owner', () => {
    always(({ tie }) => {
      const ids = tie.shares.map(({ subuserId }) => subuserId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(tie.shares.every(({ owner, subuserId }) => subuserId.startsWith(owner))).toBe(true);
    });
  });

  it('friends neither block each other nor have a cooldown', () => {
    always(({ tie }) => {
      if (tie.bond.kind !== 'friends') return;
      expect({ ...tie.blockedSince, ...tie.cooldownUntil }).toEqual({});
    });
  });

  it('only the side that was asked can turn a request into a friendship', () => {
    always(({ before, tie, step: { me, command } }) => {
      if (before.bond.kind === 'friends' || tie.bond.kind !== 'friends') return;
      expect(command).toBe('add');
      expect(before.bond).toMatchObject({ kind: 'requested', by: otherSide[me] });
    });
  });

  it('a side in cooldown cannot send a request', () => {
    always(({ before, tie, now, step: { me } }) => {
      if (before.bond.kind !== 'none' || tie.bond.kind !== 'requested') return;
      expect(before.cooldownUntil[me]?.getTime() ?? 0).toBeLessThanOrEqual(now.getTime());
    });
  });

  it('messages are allowed exactly when both sides see a friendship', () => {
    always(({ tie }) => {
      const isFriends = sides.every((side) => viewOf(tie, side) === 'friends');
      expect(mayMessageFriend(tie) === 'allowed').toBe(isFriends);
    });
  });

  it('a side gets no notices from a side that it blocks', () => {
    always(({ before, decision, step: { me } }) => {
      if (isRefusal(decision) || !before.blockedSince[otherSide[me]]) return;
      expect(decision.notice).toBeUndefined();
    });
  });

  it('a repeated command changes nothing or is refused', () => {
    always(({ step: repeated, tie, decision, now }) => {
      if (isRefusal(decision)) return;
      const again = decide(repeated, { tie, me: repeated.me, policy, now });
      expect(isRefusal(again) || again.tie === undefined).toBe(true);
    });
  });

  it('each side finds a tie in the list that matches its view, or among its blocks if it blocks the other side', () => {
    const lists = {
      none: undefined,
      pending_in: 'request_in',
      pending_out: 'request_out',
      friends: 'friend',
    };
    always(({ tie }) => {
      for (const side of sides) {
        const expected = tie.blockedSince[side] ? 'block' : lists[viewOf(tie, side)];
        expect(positionOf(tie, side, 'otter7')?.list).toBe(expected);
      }
    });
  });
});
