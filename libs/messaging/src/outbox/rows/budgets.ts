import { AppError } from '@daycare/api';

/** How many messages one user may send to another. */
export interface BudgetLimits {
  readonly perHour: number;
  /** Accepted messages that their recipients have not handled. */
  readonly waiting: number;
}

/**
 * How much of a budget a sender had used when a message was accepted. Each message of the budget has its own number.
 */
export interface BudgetUse {
  readonly key: string;
  readonly number: number;
  /** When the sender's current hour began, and how many messages it has had. */
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

/** One budget per side of a tie, which the owner shares with all of its subusers. */
export function budgetKeyOf(tieId: string, senderOwnerId: string): string {
  return `${tieId}/${senderOwnerId}`;
}

/** The tie and the owner that a key consists of. */
export function budgetSideOf(key: string): { readonly tieId: string; readonly userId: string } {
  const end = key.lastIndexOf('/');
  return { tieId: key.slice(0, end), userId: key.slice(end + 1) };
}

/**
 * The usage after one more message. If no earlier message is known, neither is the number of waiting ones: rows with
 * receipts expire, even if their messages still wait in inboxes.
 */
export function nextUse(key: string, tail: BudgetUse | undefined, now: Date): BudgetUse {
  const ageMs = tail ? now.getTime() - tail.hourFrom.getTime() : hourMs;
  // An hour that begins well in the future was begun by a wrong clock; slight differences are normal.
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
 * Which limit a message would exceed. `waiting` only means that it may be exceeded, which counting has to
 * show.
 */
export function exceededLimit(
  { usedInHour, waitingAtMost }: BudgetUse,
  { perHour, waiting }: BudgetLimits,
): 'per_hour' | 'waiting' | undefined {
  if (usedInHour > perHour) return 'per_hour';
  return waitingAtMost > waiting ? 'waiting' : undefined;
}

/** The use of a budget of which no message is known. */
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
