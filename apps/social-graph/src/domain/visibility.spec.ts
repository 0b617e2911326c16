import { describe, expect, it } from '@jest/globals';
import { decideBlock, decideUnblock } from './blocking';
import { decideFriendship, type FriendCommand } from './friendship';
import { decideLimits } from './friend-limits';
import { decideNickname } from './nickname';
import { pairOf } from './tie/pair';
import { decideSharing, type ShareCommand } from './sharing';
import { affectedMembers } from './visibility';
import { isRefusal, noTie, type Decision, type Side, type Tie } from './tie/tie';
import { testPolicy } from '../test-support/test-policy';

const ada = { userId: 'ada', nametag: 'swiftfox42' };
const bob = { userId: 'bob', nametag: 'happypenguin7' };
const { pair } = pairOf(ada, bob);
const now = new Date('2026-11-15T10:00:00Z');
const policy = testPolicy();
const subuser = { id: 's1', nametag: 'coolcat11' };
const moveOf = (tie: Tie, me: Side) => ({ tie, me, policy, now });

function after(tie: Tie, decision: Decision): Tie {
  if (isRefusal(decision)) throw new Error(decision.refused);
  return decision.tie ?? tie;
}

const friend = (command: FriendCommand, me: Side) => (tie: Tie) =>
  after(tie, decideFriendship(command, moveOf(tie, me)));
const share = (command: ShareCommand, me: Side) => (tie: Tie) =>
  after(tie, decideSharing(command, { ...moveOf(tie, me), subuser }));
const block = (me: Side) => (tie: Tie) => after(tie, decideBlock(moveOf(tie, me)));
const limit = (me: Side) => (tie: Tie) => after(tie, decideLimits(moveOf(tie, me), { perHour: 1 }));
const nickname = (me: Side) => (tie: Tie) => after(tie, decideNickname(moveOf(tie, me), 'Bob'));
const unblock = (me: Side) => (tie: Tie) => after(tie, decideUnblock(moveOf(tie, me)));

type Step = (tie: Tie) => Tie;
const build = (...steps: Step[]): Tie => steps.reduce((tie, step) => step(tie), noTie);
const asked = [friend('add', 'low')];
const friends = [...asked, friend('add', 'high')];
const offered = [...friends, share('offer', 'low')];

describe('affectedMembers', () => {
  it.each<[string, Step[], Step, string[]]>([
    ['a request', [], friend('add', 'low'), ['ada', 'bob']],
    ['a cancelled request', asked, friend('remove', 'low'), ['ada', 'bob']],
    ['an accepted request', asked, friend('add', 'high'), ['ada', 'bob']],
    ['an ended friendship', friends, friend('remove', 'high'), ['ada', 'bob']],
    ['an offered share', friends, share('offer', 'low'), ['ada', 'bob']],
    ['a revoked share', offered, share('revoke', 'low'), ['ada', 'bob']],
    ['a limit', friends, limit('low'), ['ada']],
    ['a nickname', friends, nickname('low'), ['ada']],
    ['a block between friends', friends, block('low'), ['ada', 'bob']],
    ['a block of a requester', asked, block('high'), ['bob']],
    ['a block of a stranger', [], block('high'), ['bob']],
    ['a request by a blocked user', [block('high')], friend('add', 'low'), ['ada']],
    ['an unblock', [block('high'), ...asked], unblock('high'), ['bob']],
  ])('%s affects exactly the members whose lists it changes', (_what, before, step, affected) => {
    const tie = build(...before);
    expect(affectedMembers(pair, tie, step(tie))).toEqual(affected);
  });
});
