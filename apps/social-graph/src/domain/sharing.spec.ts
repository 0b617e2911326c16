import { describe, expect, it } from '@jest/globals';
import { mayMessageFriend, mayMessageSubuser } from './delivery';
import {
  decideSharing,
  findShare,
  type ShareAnswer,
  type ShareCommand,
  type ShareState,
} from './sharing';
import {
  isRefusal,
  noTie,
  otherSide,
  type NoticeKind,
  type RefusalReason,
  type Share,
  type Side,
  type Tie,
} from './tie/tie';
import { testPolicy } from '../test-support/test-policy';

const policy = testPolicy({ cooldownMs: 1_000, requestNoticeEveryMs: 1_000 });
const start = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-02T00:00:00Z');
const subuser = { id: 'subuser1', nametag: 'helper42' };
const friends: Tie = { ...noTie, bond: { kind: 'friends', since: start } };

const shareOf = (owner: Side, status: Share['status'], subuserId = subuser.id): Share => ({
  subuserId,
  subuserNametag: subuser.nametag,
  subuserName: 'Helper',
  subuserDescription: '',
  owner,
  status,
  offeredAt: start,
  acceptedAt: status === 'active' ? start : undefined,
});
const tieWith = (state: ShareState, owner: Side): Tie =>
  state === 'none' ? friends : { ...friends, shares: [shareOf(owner, state)] };
const decide = (command: ShareCommand, tie: Tie, me: Side) =>
  decideSharing(command, { tie, me, policy, now: later, subuser });

interface Cell {
  readonly command: ShareCommand;
  readonly by: 'owner' | 'friend';
  readonly state: ShareState;
  readonly next: ShareState;
  readonly answer?: ShareAnswer;
  readonly notice?: NoticeKind;
  readonly refused?: RefusalReason;
}

const offer = { command: 'offer', by: 'owner' } as const;
const accept = { command: 'accept', by: 'friend' } as const;
const giveUp = { command: 'give_up', by: 'friend' } as const;
const revoke = { command: 'revoke', by: 'owner' } as const;
const revoked = { next: 'none', answer: 'revoked', notice: 'share_revoked' } as const;

const cells: readonly Cell[] = [
  { ...offer, state: 'none', next: 'pending', answer: 'offered', notice: 'share_offered' },
  { ...offer, state: 'pending', next: 'pending', answer: 'already_pending' },
  { ...offer, state: 'active', next: 'active', answer: 'already_active' },
  { ...accept, state: 'none', next: 'none', refused: 'no_share' },
  { ...accept, state: 'pending', next: 'active', answer: 'accepted', notice: 'share_accepted' },
  { ...accept, state: 'active', next: 'active', answer: 'already_active' },
  { ...giveUp, state: 'none', next: 'none', refused: 'no_share' },
  { ...giveUp, state: 'pending', next: 'none', answer: 'declined' },
  { ...giveUp, state: 'active', next: 'none', answer: 'given_up', notice: 'share_given_up' },
  { ...revoke, state: 'none', next: 'none', refused: 'no_share' },
  { ...revoke, state: 'pending', ...revoked },
  { ...revoke, state: 'active', ...revoked },
];

describe.each(['low', 'high'] as const)('sharing by the %s side', (owner) => {
  const callerOf = (by: Cell['by']): Side => (by === 'owner' ? owner : otherSide[owner]);

  it.each(cells)(
    'the command $command in state $state has the outcome given in the table',
    (cell) => {
      const tie = tieWith(cell.state, owner);
      const decision = decide(cell.command, tie, callerOf(cell.by));
      const next = isRefusal(decision) ? tie : (decision.tie ?? tie);
      expect(isRefusal(decision) ? decision : { answer: decision.answer }).toEqual(
        cell.refused ? { refused: cell.refused } : { answer: cell.answer },
      );
      expect(isRefusal(decision) ? undefined : decision.notice).toBe(cell.notice);
      expect(findShare(next, subuser.id, owner)?.status ?? 'none').toBe(cell.next);
      expect(next.bond).toEqual(friends.bond);
    },
  );

  it.each(['accept', 'give_up'] as const)(
    'an owner cannot use the command %s on its own offer',
    (command) => {
      expect(decide(command, tieWith('pending', owner), owner)).toEqual({ refused: 'no_share' });
    },
  );

  it('a friend cannot revoke a share', () => {
    const tie = tieWith('active', owner);
    expect(decide('revoke', tie, otherSide[owner])).toEqual({ refused: 'no_share' });
  });

  it('records when a share was offered and accepted', () => {
    const offered = decide('offer', friends, owner);
    expect(offered).toMatchObject({ share: { offeredAt: later, acceptedAt: undefined } });
    const accepted = decide('accept', tieWith('pending', owner), otherSide[owner]);
    const share = { ...shareOf(owner, 'active'), acceptedAt: later };
    expect(accepted).toMatchObject({ share, tie: { shares: [share] } });
  });

  it('a revoked share that is offered again must be accepted again', () => {
    const revoked = decide('revoke', tieWith('active', owner), owner);
    const tie = isRefusal(revoked) ? noTie : (revoked.tie ?? noTie);
    expect(decide('accept', tie, otherSide[owner])).toEqual({ refused: 'no_share' });
    expect(decide('offer', tie, owner)).toMatchObject({
      answer: 'offered',
      share: { status: 'pending', acceptedAt: undefined },
    });
  });

  it('a command leaves the shares of other subusers unchanged', () => {
    const others = [shareOf(owner, 'active', 'other1'), shareOf(otherSide[owner], 'pending', 'o2')];
    const tie = { ...friends, shares: [...others, shareOf(owner, 'pending')] };
    expect(decide('revoke', tie, owner)).toMatchObject({ tie: { shares: others } });
    expect(decide('give_up', tie, otherSide[owner])).toMatchObject({ tie: { shares: others } });
    const accepted = decide('accept', tie, otherSide[owner]);
    expect(accepted).toMatchObject({ tie: { shares: [...others, { status: 'active' }] } });
  });

  it.each(['none', 'requested'] as const)(
    'a subuser cannot be offered while the bond is %s',
    (kind) => {
      const bond = kind === 'none' ? { kind } : { kind, by: owner, since: start };
      expect(decide('offer', { ...noTie, bond }, owner)).toEqual({ refused: 'not_friends' });
    },
  );

  it('mayMessageSubuser allows messages only from the friend, and only while the share is active', () => {
    const friend = otherSide[owner];
    const verdicts = (tie: Tie) => [
      mayMessageSubuser(tie, friend, subuser.id),
      mayMessageSubuser(tie, owner, subuser.id),
      mayMessageSubuser(tie, friend, 'other1'),
    ];
    const no = 'share_not_active';
    expect(verdicts(tieWith('active', owner))).toEqual(['allowed', no, no]);
    expect(verdicts(tieWith('pending', owner))).toEqual([no, no, no]);
    expect(verdicts(tieWith('none', owner))).toEqual([no, no, no]);
    expect(verdicts(noTie)).toEqual([no, no, no]);
  });
});

describe('mayMessageFriend', () => {
  it('allows messages between friends only', () => {
    const requested: Tie = { ...noTie, bond: { kind: 'requested', by: 'low', since: start } };
    expect([noTie, requested, friends].map(mayMessageFriend)).toEqual([
      'not_friends',
      'not_friends',
      'allowed',
    ]);
  });
});
