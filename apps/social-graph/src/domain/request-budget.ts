/** How many friend requests a user may make. */
export interface RequestLimits {
  readonly perHour: number;
  readonly pending: number;
}

/** When a user made their recent friend requests. */
export interface RequestBudget {
  readonly madeAt: readonly Date[];
}

/** A request counted before its call writes the tie. `version` is the tie's version before that write. */
export interface Reservation {
  readonly id: string;
  readonly at: Date;
  readonly pairId: string;
  readonly version: number;
}

/** A user's budget, with what is needed to enforce the limit on pending requests. */
export interface RequestAccount extends RequestBudget {
  /** An upper bound on the number of pending requests; an answered request counts until the next recount. */
  readonly pending: number;
  /** Recent reservations, whose ties may not be written yet. */
  readonly reserved: readonly Reservation[];
}

const hourMs = 60 * 60 * 1000;
/** Longer than a call takes between its reservation and the write of the tie, unless its process stalls. */
const reservedMs = 60 * 1000;

export type BudgetDecision =
  | { readonly budget: RequestBudget }
  | { readonly exceeded: 'per_hour'; readonly allowedAt: Date }
  | { readonly exceeded: 'pending' };

/** Decides whether a user may make another request now; if so, returns the budget that includes it. */
export function decideBudget(
  budget: RequestBudget,
  pendingOut: number,
  limits: RequestLimits,
  now: Date,
): BudgetDecision {
  const recent = budget.madeAt.filter((at) => now.getTime() - at.getTime() < hourMs);
  const oldest = recent[recent.length - limits.perHour];
  if (oldest) return { exceeded: 'per_hour', allowedAt: new Date(oldest.getTime() + hourMs) };
  if (pendingOut >= limits.pending) return { exceeded: 'pending' };
  return { budget: { madeAt: [...recent, now] } };
}

/** Returns the reservations of calls that may still write their tie. */
export function recentReservations({ reserved }: RequestAccount, now: Date): Reservation[] {
  return reserved.filter(({ at }) => now.getTime() - at.getTime() < reservedMs);
}

/** Returns the account with one more reservation and with the budget that already includes its request. */
export function withReservation(
  account: RequestAccount,
  { madeAt }: RequestBudget,
  reservation: Reservation,
): RequestAccount {
  const reserved = [...recentReservations(account, reservation.at), reservation];
  return { madeAt, pending: account.pending + 1, reserved };
}

/**
 * Returns the account without the reservation of a request that was not made after all. `pending` stays unchanged: a
 * recount in the meantime may already exclude this request.
 */
export function withoutReservation(
  account: RequestAccount,
  reservation: Reservation,
): RequestAccount {
  const reserved = account.reserved.filter(({ id }) => id !== reservation.id);
  if (reserved.length === account.reserved.length) return account;
  const releasedIndex = account.madeAt.findIndex((at) => at.getTime() === reservation.at.getTime());
  const madeAt = account.madeAt.filter((_, index) => index !== releasedIndex);
  return { madeAt, pending: account.pending, reserved };
}
