/** The two members of a pair; `low` has the smaller id. */
export type Side = 'low' | 'high';

export const otherSide: Readonly<Record<Side, Side>> = { low: 'high', high: 'low' };

/** The tie as one side sees it. */
export type View = 'none' | 'pending_out' | 'pending_in' | 'friends';

export interface Share {
  readonly subuserId: string;
  readonly subuserNametag: string;
  readonly owner: Side;
  readonly status: 'pending' | 'active';
  readonly offeredAt: Date;
  readonly acceptedAt: Date | undefined;
}

export type Bond =
  | { readonly kind: 'none' }
  | { readonly kind: 'requested'; readonly by: Side; readonly since: Date }
  | { readonly kind: 'friends'; readonly since: Date };

/** Everything between two users. What is not there yet is `noTie`. */
export interface Tie {
  readonly bond: Bond;
  /** Until when each side may not ask the other. */
  readonly cooldownUntil: Readonly<Partial<Record<Side, Date>>>;
  /** Since when each side blocks the other. */
  readonly blockedSince: Readonly<Partial<Record<Side, Date>>>;
  /** When each side's request was last told to the other. */
  readonly requestToldAt: Readonly<Partial<Record<Side, Date>>>;
  readonly shares: readonly Share[];
}

export const noTie: Tie = {
  bond: { kind: 'none' },
  cooldownUntil: {},
  blockedSince: {},
  requestToldAt: {},
  shares: [],
};

/** How long things take; operators may choose. */
export interface TiePolicy {
  readonly cooldownMs: number;
  /** A request that is cancelled and made again is told to the other side once in this time. */
  readonly requestNoticeEveryMs: number;
}

/** What one side sees. Somebody who blocks sees no request of the blocked side. */
export function viewOf(tie: Tie, me: Side): View {
  const { bond } = tie;
  if (bond.kind === 'friends') return 'friends';
  if (bond.kind === 'none') return 'none';
  if (bond.by === me) return 'pending_out';
  return tie.blockedSince[me] ? 'none' : 'pending_in';
}

/** What the other side is to hear of a change. */
export type NoticeKind =
  | 'friend_requested'
  | 'friend_accepted'
  | 'friend_removed'
  | 'share_offered'
  | 'share_accepted'
  | 'share_given_up'
  | 'share_revoked';

/** The outcome of a command that is allowed. `tie` is undefined when nothing changes. */
export interface Change<A extends string = string> {
  readonly tie: Tie | undefined;
  readonly answer: A;
  readonly notice: NoticeKind | undefined;
  /** The share that the change is about. */
  readonly share?: Share;
}

export type RefusalReason =
  'no_relationship' | 'not_friends' | 'cooldown' | 'blocked_by_caller' | 'no_share' | 'not_blocked';

export interface Refusal {
  readonly refused: RefusalReason;
  /** From when on it is allowed, for a cooldown. */
  readonly allowedAt?: Date;
}

export type Decision<A extends string = string> = Change<A> | Refusal;

export const isRefusal = (decision: Decision): decision is Refusal => 'refused' in decision;

export const refuse = (refused: RefusalReason, allowedAt?: Date): Refusal =>
  allowedAt ? { refused, allowedAt } : { refused };

export const unchanged = <A extends string>(answer: A): Change<A> => ({
  tie: undefined,
  answer,
  notice: undefined,
});
