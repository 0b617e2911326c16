import { AppError } from '@daycare/api';

/** How many messages one user may send to another. */
export interface BudgetLimits {
  readonly perHour: number;
  /** How many accepted messages may be waiting for their recipients to handle them. */
  readonly waiting: number;
}

/**
 * How much of a budget a sender had used when a message was accepted. Each message of the budget has its own number.
 */
export interface BudgetUse {
  readonly key: string;
  readonly number: number;
  /** When the sender's current hour began, and how many messages have been accepted in it. */
  readonly hourFrom: Date;
  readonly usedInHour: number;
  /**
   * An upper bound on the number of waiting messages, this one included: the last count plus all accepted since.
   */
  readonly waitingAtMost: number;
}

const hourMs = 60 * 60 * 1000;
/** How far the clocks of replicas may differ. */
const clockSkewMs = 60_000;
/** How long the recipient takes to handle messages is unknown; this is a reasonable delay to suggest. */
const waitingRetryMs = 10_000;

/** Returns the key of a budget: each side of a tie has one, which an owner shares with all of their subusers. */
export function budgetKeyOf(tieId: string, senderOwnerId: string): string {
  return `${tieId}/${senderOwnerId}`;
}

/** Splits a budget's key into the tie and the owner. */
export function budgetSideOf(key: string): { readonly tieId: string; readonly userId: string } {
  const end = key.lastIndexOf('/');
  return { tieId: key.slice(0, end), userId: key.slice(end + 1) };
}

/**
 * Returns the usage after one more message. If no earlier message is known, neither is the number of waiting ones: rows
 * with receipts expire, even if their messages are still waiting in inboxes.
 */
export function nextUse(key: string, tail: BudgetUse | undefined, now: Date): BudgetUse {
  const ageMs = tail ? now.getTime() - tail.hourFrom.getTime() : hourMs;
  // An hour that begins well in the future was started by a wrong clock; slight differences are normal.
  const isSameHour = tail !== undefined && ageMs < hourMs && ageMs > -clockSkewMs;
  return {
    key,
    number: (tail?.number ?? 0) + 1,
    hourFrom: isSameHour ? tail.hourFrom : now,
    usedInHour: isSameHour ? tail.usedInHour + 1 : 1,
    waitingAtMost: (tail?.waitingAtMost ?? Infinity) + 1,
  };
}

/**
 * Returns the limit that a message would exceed, if any. `waiting` only means that this limit may be exceeded; counting
 * the waiting messages has to show whether it is.
 */
export function exceededLimit(
  { usedInHour, waitingAtMost }: BudgetUse,
  { perHour, waiting }: BudgetLimits,
): 'per_hour' | 'waiting' | undefined {
  if (usedInHour > perHour) return 'per_hour';
  return waitingAtMost > waiting ? 'waiting' : undefined;
}

/** Returns the usage of a budget without any known message. */
export function unusedBudget(key: string): BudgetUse {
  return { key, number: 0, hourFrom: new Date(0), usedInHour: 0, waitingAtMost: Infinity };
}

export function budgetExceeded(
  exceeded: 'per_hour' | 'waiting',
  { hourFrom }: BudgetUse,
  { perHour, waiting }: BudgetLimits,
  now: Date,
): AppError {
  const isPerHour = exceeded === 'per_hour';
  const at = new Date(isPerHour ? hourFrom.getTime() + hourMs : now.getTime() + waitingRetryMs);
  const text = isPerHour
    ? `The limit of ${perHour} messages per hour to this recipient is reached`
    : `${waiting} messages to this recipient are still waiting to be handled`;
  return new AppError('QUOTA_EXCEEDED', `${text}; try again after ${at.toISOString()}`, {
    quota: {
      subject: 'recipient',
      description: isPerHour ? 'messages per hour' : 'messages waiting',
    },
    retryAfterMs: at.getTime() - now.getTime(),
  });
}
