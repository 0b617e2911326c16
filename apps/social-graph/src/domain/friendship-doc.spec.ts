import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { friendshipTable, type FriendCommand } from './friendship';
import { sharingTable, type ShareCommand, type ShareState } from './sharing';
import {
  isRefusal,
  noTie,
  otherSide,
  viewOf,
  type Decision,
  type Share,
  type Side,
  type Tie,
  type View,
} from './tie/tie';
import { testPolicy } from '../test-support/test-policy';

const page = readFileSync(join(__dirname, '../../../../docs/friendship.md'), 'utf8');
const diagrams = [...page.matchAll(/```mermaid\nstateDiagram-v2\n(.*?)```/gs)].map(
  ([, text = '']) => text,
);

/** Returns a diagram's transitions (`from --> to : label`), except the initial one. */
function transitionsOf(diagram: string): string[] {
  const lines = diagram.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('[*]')).sort();
}

const policy = testPolicy({ cooldownMs: 1_000, requestNoticeEveryMs: 1_000 });
const now = new Date('2026-01-01T00:00:00Z');
const me: Side = 'low';
const friends: Tie = { ...noTie, bond: { kind: 'friends', since: now } };
const ties: Readonly<Record<View, Tie>> = {
  none: noTie,
  pending_out: { ...noTie, bond: { kind: 'requested', by: me, since: now } },
  pending_in: { ...noTie, bond: { kind: 'requested', by: otherSide[me], since: now } },
  friends,
};

const changedTie = (decision: Decision): Tie | undefined =>
  isRefusal(decision) ? undefined : decision.tie;

/** Returns the transitions that a command by either side causes in a state, as `me` sees them. */
function friendshipLines(view: View, command: FriendCommand): string[] {
  const tie = ties[view];
  return [me, otherSide[me]].flatMap((caller) => {
    const cell = friendshipTable[command][viewOf(tie, caller)];
    const next = changedTie(cell({ tie, me: caller, policy, now }));
    const who = caller === me ? 'you' : 'they';
    return next ? [`${view} --> ${viewOf(next, me)} : ${who} friend_${command}`] : [];
  });
}

const shareCalls: Readonly<Record<ShareCommand, { readonly label: string; readonly me: Side }>> = {
  offer: { label: 'owner friend_share_subuser', me: 'low' },
  accept: { label: 'friend friend_add', me: 'high' },
  give_up: { label: 'friend friend_remove', me: 'high' },
  revoke: { label: 'owner friend_unshare_subuser', me: 'low' },
};

function sharingLines(state: ShareState, command: ShareCommand): string[] {
  const subuser = { id: 'sub1', nametag: 'helper7' };
  const share: Share = {
    subuserId: subuser.id,
    subuserNametag: subuser.nametag,
    subuserName: 'Helper',
    subuserDescription: '',
    owner: 'low',
    status: state === 'active' ? 'active' : 'pending',
    offeredAt: now,
    acceptedAt: undefined,
  };
  const tie = state === 'none' ? friends : { ...friends, shares: [share] };
  const { label, me: caller } = shareCalls[command];
  const move = { tie, me: caller, policy, now, subuser };
  const next = changedTie(sharingTable[command][state](move, share));
  return next ? [`${state} --> ${next.shares[0]?.status ?? 'none'} : ${label}`] : [];
}

const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(record) as K[];

describe('the diagrams in docs/friendship.md', () => {
  it('there is one diagram of friendships and one of shares', () => {
    expect(diagrams).toHaveLength(2);
  });

  it('the friendship diagram shows exactly the transitions in the table', () => {
    const lines = keysOf(friendshipTable).flatMap((command) =>
      keysOf(friendshipTable[command]).flatMap((view) => friendshipLines(view, command)),
    );
    expect(transitionsOf(diagrams[0]!)).toEqual([...lines].sort());
  });

  it('the sharing diagram shows exactly the transitions in the table', () => {
    const lines = keysOf(sharingTable).flatMap((command) =>
      keysOf(sharingTable[command]).flatMap((state) => sharingLines(state, command)),
    );
    expect(transitionsOf(diagrams[1]!)).toEqual([...lines].sort());
  });
});
