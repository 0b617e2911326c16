import {
  otherSide,
  refuse,
  unchanged,
  viewOf,
  type Change,
  type Decision,
  type Refusal,
  type Side,
  type Tie,
  type TiePolicy,
  type View,
} from './tie/tie';

/** A call by one side of a tie, with everything that decides its outcome. */
export interface Move {
  readonly tie: Tie;
  readonly me: Side;
  readonly policy: TiePolicy;
  readonly now: Date;
}

export type FriendCommand = 'add' | 'remove';
export type FriendAnswer =
  | 'requested'
  | 'already_requested'
  | 'accepted'
  | 'already_friends'
  | 'removed'
  | 'rejected'
  | 'canceled';

type Cell = (move: Move) => Decision<FriendAnswer>;

/**
 * The outcome of every command in every state; in addition, `decideFriendship` refuses to add someone whom the caller
 * has blocked. Tests check each cell and compare the table with docs/friendship.md.
 */
export const friendshipTable: Readonly<Record<FriendCommand, Readonly<Record<View, Cell>>>> = {
  add: {
    none: request,
    pending_out: () => unchanged('already_requested'),
    pending_in: accept,
    friends: () => unchanged('already_friends'),
  },
  remove: {
    none: () => refuse('no_relationship'),
    pending_out: cancel,
    pending_in: reject,
    friends: unfriend,
  },
};

/** Decides the outcome of a call: the next tie, the answer and the notice to the other side, or a refusal. */
export function decideFriendship(command: FriendCommand, move: Move): Decision<FriendAnswer> {
  if (command === 'add' && move.tie.blockedSince[move.me]) return refuse('blocked_by_caller');
  return friendshipTable[command][viewOf(move.tie, move.me)](move);
}

function request(move: Move): Change<FriendAnswer> | Refusal {
  const { tie, me, now } = move;
  const until = tie.cooldownUntil[me];
  if (until && until > now) return refuse('cooldown', until);
  const notifies = shouldNotify(move);
  return {
    tie: {
      ...tie,
      bond: { kind: 'requested', by: me, since: now },
      cooldownUntil: without(tie.cooldownUntil, me),
      requestNotifiedAt: notifies ? { ...tie.requestNotifiedAt, [me]: now } : tie.requestNotifiedAt,
    },
    answer: 'requested',
    notice: notifies ? 'friend_requested' : undefined,
  };
}

/** A blocked user causes no notices, and a repeated request causes at most one per interval. */
function shouldNotify({ tie, me, policy, now }: Move): boolean {
  if (tie.blockedSince[otherSide[me]]) return false;
  const notifiedAt = tie.requestNotifiedAt[me];
  return !notifiedAt || now.getTime() - notifiedAt.getTime() >= policy.requestNoticeEveryMs;
}

/** Accepting ends the caller's own cooldown, because the other side asked for the friendship. */
function accept({ tie, me, now }: Move): Change<FriendAnswer> {
  return {
    tie: {
      ...tie,
      bond: { kind: 'friends', since: now },
      cooldownUntil: without(tie.cooldownUntil, me),
      requestNotifiedAt: {},
    },
    answer: 'accepted',
    notice: 'friend_accepted',
  };
}

function cancel({ tie }: Move): Change<FriendAnswer> {
  return { tie: { ...tie, bond: { kind: 'none' } }, answer: 'canceled', notice: undefined };
}

/** The rejected side's cooldown starts with the rejection. */
function reject(move: Move): Change<FriendAnswer> {
  const { tie, me } = move;
  return {
    tie: { ...tie, bond: { kind: 'none' }, cooldownUntil: withCooldown(move, otherSide[me]) },
    answer: 'rejected',
    notice: undefined,
  };
}

/** Ends the friendship and all its shares. The cooldown applies to the side that removed the other. */
export function unfriend(move: Move): Change<FriendAnswer> {
  const { tie, me } = move;
  return {
    tie: { ...tie, bond: { kind: 'none' }, shares: [], cooldownUntil: withCooldown(move, me) },
    answer: 'removed',
    notice: 'friend_removed',
    closes: 'tie',
  };
}

function withCooldown({ tie, policy, now }: Move, side: Side): Tie['cooldownUntil'] {
  return { ...tie.cooldownUntil, [side]: new Date(now.getTime() + policy.cooldownMs) };
}

function without<T>(
  dates: Readonly<Partial<Record<Side, T>>>,
  side: Side,
): Partial<Record<Side, T>> {
  const { [side]: _, ...rest } = dates;
  return rest;
}
