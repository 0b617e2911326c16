import type { Side } from './tie';

/** A member of a pair, with what never changes of it. */
export interface Member {
  readonly userId: string;
  readonly nametag: string;
}

/** Two users in the order that gives their tie one id, whoever calls. */
export interface Pair {
  readonly id: string;
  readonly low: Member;
  readonly high: Member;
}

/** The pair of two users, and which side the first of them is. */
export function pairOf(me: Member, other: Member): { readonly pair: Pair; readonly me: Side } {
  const isLow = me.userId < other.userId;
  const [low, high] = isLow ? [me, other] : [other, me];
  return { pair: { id: pairId(low.userId, high.userId), low, high }, me: isLow ? 'low' : 'high' };
}

export function pairId(one: string, other: string): string {
  return one < other ? `${one}:${other}` : `${other}:${one}`;
}
