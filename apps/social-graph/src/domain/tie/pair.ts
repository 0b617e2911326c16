import type { Side } from './tie';

/** A user in a pair; neither field ever changes. */
export interface Member {
  readonly userId: string;
  readonly nametag: string;
}

/** Two users ordered by id, so that their tie has the same id whoever calls. */
export interface Pair {
  readonly id: string;
  readonly low: Member;
  readonly high: Member;
}

/** Returns the pair of two users, and the first user's side. */
export function pairOf(me: Member, other: Member): { readonly pair: Pair; readonly me: Side } {
  const isLow = me.userId < other.userId;
  const [low, high] = isLow ? [me, other] : [other, me];
  return { pair: { id: pairId(low.userId, high.userId), low, high }, me: isLow ? 'low' : 'high' };
}

export function pairId(userId: string, otherUserId: string): string {
  return userId < otherUserId ? `${userId}:${otherUserId}` : `${otherUserId}:${userId}`;
}
