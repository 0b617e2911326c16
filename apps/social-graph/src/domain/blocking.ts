import { unfriend, type Move } from './friendship';
import { refuse, unchanged, type Change, type Decision, type Tie } from './tie/tie';

export type BlockAnswer = 'blocked' | 'already_blocked' | 'unblocked';

/**
 * Silently ends a friendship or withdraws the blocking side's request, and hides the other side's requests, which
 * still look pending to the other side. `blocks` is how many users the blocking side has blocked so far; a new block is
 * refused at the limit.
 */
export function decideBlock(move: Move, blocks = 0): Decision<BlockAnswer> {
  const { tie, me, policy, now } = move;
  if (tie.blockedSince[me]) return unchanged('already_blocked');
  if (blocks >= policy.maxBlocks) return refuse('too_many_blocks');
  const blockedSince = { ...tie.blockedSince, [me]: now };
  const blocked = { tie: { ...endBond(move), blockedSince }, answer: 'blocked' as const };
  return {
    ...blocked,
    notice: undefined,
    ...(mayAnythingBeWaiting(tie) ? { closes: 'tie' as const } : {}),
  };
}

/**
 * Reports whether anything that the block must end may still be waiting: messages, or the notice of a request, which
 * may wait even after the request has ended.
 */
function mayAnythingBeWaiting({ bond, requestNotifiedAt }: Tie): boolean {
  return bond.kind !== 'none' || Object.keys(requestNotifiedAt).length > 0;
}

function endBond(move: Move): Tie {
  const { tie, me } = move;
  if (tie.bond.kind === 'friends') return unfriend(move).tie ?? tie;
  const isMyRequest = tie.bond.kind === 'requested' && tie.bond.by === me;
  return isMyRequest ? { ...tie, bond: { kind: 'none' } } : tie;
}

/** Lifts the block. If the other side's request is pending, it becomes visible, without a notice. */
export function decideUnblock({ tie, me }: Move): Change<BlockAnswer> | ReturnType<typeof refuse> {
  if (!tie.blockedSince[me]) return refuse('not_blocked');
  const { [me]: _, ...blockedSince } = tie.blockedSince;
  return { tie: { ...tie, blockedSince }, answer: 'unblocked', notice: undefined };
}
