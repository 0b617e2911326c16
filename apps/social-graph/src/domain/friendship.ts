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
} from './tie';

/** A call by one side about the other, at a moment. */
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

/** Every call in every state. A test walks the cells, and compares the picture in docs/ with them. */
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

/** What a call leads to: the next tie, the answer and what the other side hears, or a refusal. */
export function decideFriendship(command: FriendCommand, move: Move): Decision<FriendAnswer> {
  if (command === 'add' && move.tie.blockedSince[move.me]) return refuse('blocked_by_caller');
  return friendshipTable[command][viewOf(move.tie, move.me)](move);
}

function request(move: Move): Change<FriendAnswer> | Refusal {
  const { tie, me, now } = move;
  const until = tie.cooldownUntil[me];
  if (until && until > now) return refuse('cooldown', until);
  const isTold = mayTell(move);
  return {
    tie: {
      ...tie,
      bond: { kind: 'requested', by: me, since: now },
      cooldownUntil: without(tie.cooldownUntil, me),
      requestToldAt: isTold ? { ...tie.requestToldAt, [me]: now } : tie.requestToldAt,
    },
    answer: 'requested',
    notice: isTold ? 'friend_requested' : undefined,
  };
}

/** Nobody hears from somebody they block, nor of the same request over and over. */
function mayTell({ tie, me, policy, now }: Move): boolean {
  if (tie.blockedSince[otherSide[me]]) return false;
  const told = tie.requestToldAt[me];
  return !told || now.getTime() - told.getTime() >= policy.requestNoticeEveryMs;
}

/** Being asked lifts one's own cooldown: the other side has consented. */
function accept({ tie, me, now }: Move): Change<FriendAnswer> {
  return {
    tie: {
      ...tie,
      bond: { kind: 'friends', since: now },
      cooldownUntil: without(tie.cooldownUntil, me),
      requestToldAt: {},
    },
    answer: 'accepted',
    notice: 'friend_accepted',
  };
}

function cancel({ tie }: Move): Change<FriendAnswer> {
  return { tie: { ...tie, bond: { kind: 'none' } }, answer: 'canceled', notice: undefined };
}

/** The rejected side waits, counted from the rejection. */
function reject(move: Move): Change<FriendAnswer> {
  const { tie, me } = move;
  return {
    tie: { ...tie, bond: { kind: 'none' }, cooldownUntil: cooling(move, otherSide[me]) },
    answer: 'rejected',
    notice: undefined,
  };
}

/** Every share of the two goes with the friendship, in the same write. The remover waits. */
export function unfriend(move: Move): Change<FriendAnswer> {
  const { tie, me } = move;
  return {
    tie: { ...tie, bond: { kind: 'none' }, shares: [], cooldownUntil: cooling(move, me) },
    answer: 'removed',
    notice: 'friend_removed',
  };
}

function cooling({ tie, policy, now }: Move, side: Side): Tie['cooldownUntil'] {
  return { ...tie.cooldownUntil, [side]: new Date(now.getTime() + policy.cooldownMs) };
}

function without<T>(
  dates: Readonly<Partial<Record<Side, T>>>,
  side: Side,
): Partial<Record<Side, T>> {
  const { [side]: _, ...rest } = dates;
  return rest;
}
