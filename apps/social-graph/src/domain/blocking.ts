import { unfriend, type Move } from './friendship';
import { refuse, unchanged, type Change, type Decision, type Tie } from './tie';

export type BlockAnswer = 'blocked' | 'already_blocked' | 'unblocked';

/**
 * Ends the tie silently and hides whatever the other side asks from now on. A request that the other
 * side has made stays as it is in its eyes; one of our own is taken back.
 */
export function decideBlock(move: Move): Decision<BlockAnswer> {
  const { tie, me, now } = move;
  if (tie.blockedSince[me]) return unchanged('already_blocked');
  const blockedSince = { ...tie.blockedSince, [me]: now };
  return { tie: { ...ended(move), blockedSince }, answer: 'blocked', notice: undefined };
}

function ended(move: Move): Tie {
  const { tie, me } = move;
  if (tie.bond.kind === 'friends') return unfriend(move).tie ?? tie;
  const isMyRequest = tie.bond.kind === 'requested' && tie.bond.by === me;
  return isMyRequest ? { ...tie, bond: { kind: 'none' } } : tie;
}

/** Lifts the block. A request made meanwhile becomes visible, without a notice. */
export function decideUnblock({ tie, me }: Move): Change<BlockAnswer> | ReturnType<typeof refuse> {
  if (!tie.blockedSince[me]) return refuse('not_blocked');
  const { [me]: _, ...blockedSince } = tie.blockedSince;
  return { tie: { ...tie, blockedSince }, answer: 'unblocked', notice: undefined };
}
