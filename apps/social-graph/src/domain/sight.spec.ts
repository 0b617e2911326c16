import { describe, expect, it } from '@jest/globals';
import { decideBlock, decideUnblock } from './blocking';
import { decideFriendship, type FriendCommand } from './friendship';
import { pairOf } from './pair';
import { decideSharing, type ShareCommand } from './sharing';
import { whoSees } from './sight';
import { isRefusal, noTie, type Decision, type Side, type Tie } from './tie';

const ada = { userId: 'ada', nametag: 'swiftfox42' };
const bob = { userId: 'bob', nametag: 'happypenguin7' };
const { pair } = pairOf(ada, bob);
const now = new Date('2026-11-15T10:00:00Z');
const policy = { cooldownMs: 0, requestNoticeEveryMs: 0 };
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
const unblock = (me: Side) => (tie: Tie) => after(tie, decideUnblock(moveOf(tie, me)));

type Step = (tie: Tie) => Tie;
const build = (...steps: Step[]): Tie => steps.reduce((tie, step) => step(tie), noTie);
const asked = [friend('add', 'low')];
const friends = [...asked, friend('add', 'high')];
const offered = [...friends, share('offer', 'low')];

describe('who sees a change of a tie', () => {
  it.each<[string, Step[], Step, string[]]>([
    ['a request', [], friend('add', 'low'), ['ada', 'bob']],
    ['a request that is taken back', asked, friend('remove', 'low'), ['ada', 'bob']],
    ['a request that is accepted', asked, friend('add', 'high'), ['ada', 'bob']],
    ['a friendship that ends', friends, friend('remove', 'high'), ['ada', 'bob']],
    ['an offered share', friends, share('offer', 'low'), ['ada', 'bob']],
    ['a share that is taken back', offered, share('revoke', 'low'), ['ada', 'bob']],
    ['a block among friends, which ends the friendship', friends, block('low'), ['ada', 'bob']],
    ['a block of somebody who has asked', asked, block('high'), ['bob']],
    ['a block of a stranger', [], block('high'), ['bob']],
    ['a request of somebody blocked', [block('high')], friend('add', 'low'), ['ada']],
    ['the end of a block', [block('high'), ...asked], unblock('high'), ['bob']],
  ])('%s', (_what, before, step, seers) => {
    const tie = build(...before);
    expect(whoSees(pair, tie, step(tie))).toEqual(seers);
  });
});
