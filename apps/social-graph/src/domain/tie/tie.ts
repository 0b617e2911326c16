/** The two members of a pair; `low` has the smaller id. */
export type Side = 'low' | 'high';

export const otherSide: Readonly<Record<Side, Side>> = { low: 'high', high: 'low' };

/** The tie as one side sees it. */
export type View = 'none' | 'pending_out' | 'pending_in' | 'friends';

export interface Share {
  readonly subuserId: string;
  readonly subuserNametag: string;
  /** As last read from identity; see `syncSharedNames`. */
  readonly subuserName: string;
  readonly subuserDescription: string;
  readonly owner: Side;
  readonly status: 'pending' | 'active';
  readonly offeredAt: Date;
  readonly acceptedAt: Date | undefined;
}

export type Bond =
  | { readonly kind: 'none' }
  | { readonly kind: 'requested'; readonly by: Side; readonly since: Date }
  | { readonly kind: 'friends'; readonly since: Date };

/** Everything between two users. Two users with nothing between them have `noTie`. */
export interface Tie {
  readonly bond: Bond;
  /** Until when each side may not send the other a request. */
  readonly cooldownUntil: Readonly<Partial<Record<Side, Date>>>;
  /** Since when each side has blocked the other. */
  readonly blockedSince: Readonly<Partial<Record<Side, Date>>>;
  /** When the other side was last notified of each side's request. */
  readonly requestNotifiedAt: Readonly<Partial<Record<Side, Date>>>;
  readonly shares: readonly Share[];
  /** How much each side lets the other send. */
  readonly limits: Readonly<Partial<Record<Side, FriendLimits>>>;
  /** What each side calls the other; absent in ties without nicknames. */
  readonly nicknames?: Readonly<Partial<Record<Side, string>>>;
  /** How many offers each side has made in its current hour. */
  readonly offers: Readonly<Partial<Record<Side, OffersInHour>>>;
}

/** Limits on what the other side may send; where one is absent, the installation's limit applies. */
export interface FriendLimits {
  readonly perHour?: number;
  readonly waiting?: number;
}

export interface OffersInHour {
  readonly from: Date;
  readonly count: number;
}

export const noTie: Tie = {
  bond: { kind: 'none' },
  cooldownUntil: {},
  blockedSince: {},
  requestNotifiedAt: {},
  shares: [],
  limits: {},
  offers: {},
};

/** Durations and limits that operators can configure. */
export interface TiePolicy {
  readonly cooldownMs: number;
  /** A request that is cancelled and repeated notifies the other side at most once in this interval. */
  readonly requestNoticeEveryMs: number;
  /** Offers are limited, because each notifies the friend; revoking is not limited. */
  readonly offersPerHour: number;
  /** The limit for both sides together. */
  readonly maxShares: number;
  /** The limit for one user. */
  readonly maxBlocks: number;
}

/** The tie as one side sees it. A user who blocks the other does not see the other's requests. */
export function viewOf(tie: Tie, me: Side): View {
  const { bond } = tie;
  if (bond.kind === 'friends') return 'friends';
  if (bond.kind === 'none') return 'none';
  if (bond.by === me) return 'pending_out';
  return tie.blockedSince[me] ? 'none' : 'pending_in';
}

/** What the other side is notified of. */
export type NoticeKind =
  | 'friend_requested'
  | 'friend_accepted'
  | 'friend_removed'
  | 'share_offered'
  | 'share_accepted'
  | 'share_given_up'
  | 'share_revoked';

/** The outcome of an allowed command. `tie` is undefined when nothing changes. */
export interface Change<A extends string = string> {
  readonly tie: Tie | undefined;
  readonly answer: A;
  readonly notice: NoticeKind | undefined;
  /** The share that changed. */
  readonly share?: Share;
  /** The messages that are no longer allowed: those to and from one shared subuser, or all messages of the tie. */
  readonly closes?: 'tie' | { readonly subuserId: string };
}

export type RefusalReason =
  | 'no_relationship'
  | 'not_friends'
  | 'cooldown'
  | 'blocked_by_caller'
  | 'no_share'
  | 'not_blocked'
  | 'too_many_shares'
  | 'too_many_blocks'
  | 'too_many_offers';

export interface Refusal {
  readonly refused: RefusalReason;
  /** When the cooldown or the hour of an hourly limit ends. */
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
