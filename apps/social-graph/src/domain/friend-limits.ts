import type { Move } from './friendship';
import { refuse, type Decision, type FriendLimits, type Side, type Tie } from './tie/tie';

export type LimitAnswer = 'limited';

/** Sets how much the other side may send; replaces earlier limits. */
export function decideLimits({ tie, me }: Move, limits: FriendLimits): Decision<LimitAnswer> {
  if (tie.bond.kind !== 'friends') return refuse('not_friends');
  const next = { ...tie, limits: { ...tie.limits, [me]: limits } };
  return { tie: next, answer: 'limited', notice: undefined };
}

/** Returns how much may be sent to one side: the limits it has set, but never more than the installation allows. */
export function limitsOf(
  tie: Tie,
  recipient: Side,
  allowed: Required<FriendLimits>,
): Required<FriendLimits> {
  const { perHour = Infinity, waiting = Infinity } = tie.limits[recipient] ?? {};
  return {
    perHour: Math.min(perHour, allowed.perHour),
    waiting: Math.min(waiting, allowed.waiting),
  };
}
