import { dayOf } from '../../agents';
import {
  add,
  appliesTo,
  exceeds,
  nothing,
  type Amount,
  type Budget,
  type BudgetedCall,
} from './budget';
import { periodEnd, periodKey } from './period';

/** An owner's budgets, and the amounts reserved for its agents' calls. */
export interface Account {
  readonly ownerUserId: string;
  readonly budgets: readonly Budget[];
  /** At most one per agent, because an agent makes one call at a time. */
  readonly reservations: readonly Reservation[];
  /** The number of the newest reservation. */
  readonly lastReservation: number;
  /** When the spending has to be counted again. */
  readonly recountAt: Date;
  /**
   * How many times the spending was recounted. Of several recounts that read the same number when they began, only the
   * first to finish is applied.
   */
  readonly recounts: number;
  /** When a budget was last set or removed. */
  readonly changedAt: Date;
  /** The ids of the newest requests that set or removed a budget. */
  readonly changedBy: readonly string[];
}

/** An amount set aside for a call until its outcome is recorded. */
export interface Reservation extends BudgetedCall {
  readonly number: number;
  /** The fence of the lease under which the agent runs. */
  readonly fence: number;
  readonly amount: Amount;
  readonly expiresAt: Date;
}

export interface ReservationRequest extends Omit<Reservation, 'number' | 'expiresAt'> {
  /** Whether the price of the call is unknown. */
  readonly isUnpriced?: boolean;
}

export type ReservationOutcome =
  /** The number is 0 when no budget applies, so that nothing was reserved. */
  | { readonly kind: 'granted'; readonly number: number }
  /** Another replica is running the agent now. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'refused'; readonly budget: Budget; readonly renewsAt: Date }
  /** A budget in money applies, and the price is unknown. */
  | { readonly kind: 'unpriced'; readonly budget: Budget };

/** A call whose outcome is stored. */
export interface SettledCall extends BudgetedCall {
  readonly reservation: number;
  readonly day: string;
  readonly amount: Amount;
}

/**
 * How long a reservation lasts: longer than any call with all its retries, so that a reservation expires only if its
 * call crashed or could not be settled.
 */
export const reservationMs = 25 * 60_000;

export function emptyAccount(ownerUserId: string, now: Date): Account {
  const empty = { budgets: [], reservations: [], lastReservation: 0, recounts: 0, changedBy: [] };
  return { ownerUserId, ...empty, recountAt: now, changedAt: now };
}

/**
 * Reserves an amount if it fits into every budget that applies. The agent's earlier reservation is dropped, unless that
 * one was made under a newer lease.
 */
export function reserve(
  account: Account,
  { isUnpriced = false, ...request }: ReservationRequest,
  now: Date,
): { readonly account: Account; readonly outcome: ReservationOutcome } {
  const previous = account.reservations.find(({ agentId }) => agentId === request.agentId);
  if (previous && previous.fence > request.fence)
    return { account, outcome: { kind: 'superseded' } };
  const current = dropReservations(
    bringUpToDate(account, now),
    ({ agentId }) => agentId === request.agentId,
    now,
  );
  if (!current.budgets.some((budget) => appliesTo(budget, request)))
    return { account: current, outcome: { kind: 'granted', number: 0 } };
  const moneyBudget = current.budgets.find(
    (budget) => budget.maxMicros !== undefined && appliesTo(budget, request),
  );
  if (isUnpriced && moneyBudget)
    return { account: current, outcome: { kind: 'unpriced', budget: moneyBudget } };
  const exhausted = current.budgets.find((budget) => !isWithinBudget(current, budget, request));
  if (exhausted) {
    const renewsAt = periodEnd(exhausted.period, exhausted.spentIn);
    return { account: current, outcome: { kind: 'refused', budget: exhausted, renewsAt } };
  }
  const number = current.lastReservation + 1;
  const expiresAt = new Date(now.getTime() + reservationMs);
  const reservations = [...current.reservations, { ...request, number, expiresAt }];
  const next = { ...current, reservations, lastReservation: number };
  return { account: next, outcome: { kind: 'granted', number } };
}

/**
 * Replaces a call's reservation with its usage. If the reservation no longer exists, nothing is added, because the call
 * may have been settled already; instead, the spending is due to be recounted.
 */
export function settle(account: Account, call: SettledCall, now: Date): Account {
  const current = bringUpToDate(account, now);
  const isReservationOfCall = ({ number }: Reservation): boolean => number === call.reservation;
  if (!current.reservations.some(isReservationOfCall)) return { ...current, recountAt: now };
  return {
    ...current,
    reservations: current.reservations.filter((each) => !isReservationOfCall(each)),
    budgets: current.budgets.map((budget) =>
      countsIn(budget, call) ? { ...budget, spent: add(budget.spent, call.amount) } : budget,
    ),
  };
}

/** Returns the total of the reservations that count against a budget. */
export function reservedOf({ reservations }: Account, budget: Budget): Amount {
  return reservations
    .filter((each) => appliesTo(budget, each))
    .reduce((sum, { amount }) => add(sum, amount), nothing);
}

/** Starts new periods and drops expired reservations; returns the same account if nothing changes. */
export function bringUpToDate(account: Account, now: Date): Account {
  const day = dayOf(now);
  const isOver = (budget: Budget): boolean => periodKey(budget.period, day) > budget.spentIn;
  const current = account.budgets.some(isOver)
    ? {
        ...account,
        budgets: account.budgets.map((budget) => (isOver(budget) ? renew(budget, day) : budget)),
      }
    : account;
  return dropReservations(current, ({ expiresAt }) => expiresAt <= now, now);
}

/** Reports whether a call belongs to a budget's current period and counts against it. */
export function countsIn(budget: Budget, call: BudgetedCall & { readonly day: string }): boolean {
  return periodKey(budget.period, call.day) === budget.spentIn && appliesTo(budget, call);
}

function renew(
  { toldIn: _told, unpricedNotices: _unpriced, ...budget }: Budget,
  day: string,
): Budget {
  return { ...budget, spentIn: periodKey(budget.period, day), spent: nothing };
}

/** Drops reservations. Their calls may have been recorded nevertheless, so the spending is due to be recounted. */
function dropReservations(
  account: Account,
  isDropped: (reservation: Reservation) => boolean,
  now: Date,
): Account {
  const reservations = account.reservations.filter((each) => !isDropped(each));
  if (reservations.length === account.reservations.length) return account;
  return { ...account, reservations, recountAt: now };
}

function isWithinBudget(
  account: Account,
  budget: Budget,
  request: Omit<ReservationRequest, 'isUnpriced'>,
): boolean {
  if (!appliesTo(budget, request)) return true;
  const used = add(budget.spent, reservedOf(account, budget));
  return !exceeds(add(used, request.amount), budget);
}
