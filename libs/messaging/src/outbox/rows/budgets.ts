import { AppError } from '@daycare/api';

/** How many messages one user may send to another. */
export interface BudgetLimits {
  readonly perHour: number;
  /** Messages without a receipt. */
  readonly waiting: number;
}

/** What a sender had used of a budget when a message was accepted. Each message of the budget has its own number. */
export interface BudgetUse {
  readonly key: string;
  readonly number: number;
  /** When the hour began, and how many messages it has had. */
  readonly hourFrom: Date;
  readonly usedInHour: number;
  /** At least how many messages wait: since the last time one was placed behind a receipt. */
  readonly run: number;
}

/** The newest message of a budget. */
export interface BudgetTail extends BudgetUse {
  /** Whether it has no receipt yet. */
  readonly open: boolean;
}

const hourMs = 60 * 60 * 1000;
/** How far the clocks of replicas may differ. */
const clockSkewMs = 60_000;
/** How long it takes until messages arrive is unknown; this is a reasonable time to suggest. */
const waitingRetryMs = 10_000;

/** One budget per side of a tie: whichever subusers of the two sides send and receive, it is that of their owners. */
export function budgetKeyOf(tieId: string, senderOwnerId: string): string {
  return `${tieId}/${senderOwnerId}`;
}

export function tieIdIn(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

/** What is used with one more message. */
export function nextUse(key: string, tail: BudgetTail | undefined, now: Date): BudgetUse {
  const ageMs = tail ? now.getTime() - tail.hourFrom.getTime() : hourMs;
  // An hour that begins in the future was begun by a clock that was wrong; slight differences are normal.
  const isSameHour = tail !== undefined && ageMs < hourMs && ageMs > -clockSkewMs;
  return {
    key,
    number: (tail?.number ?? 0) + 1,
    hourFrom: isSameHour ? tail.hourFrom : now,
    usedInHour: isSameHour ? tail.usedInHour + 1 : 1,
    run: tail?.open ? tail.run + 1 : 1,
  };
}

/** Which limit a message would exceed. That too many wait has to be checked by counting. */
export function exceededBy(
  { usedInHour, run }: BudgetUse,
  { perHour, waiting }: BudgetLimits,
): 'per_hour' | 'waiting' | undefined {
  if (usedInHour > perHour) return 'per_hour';
  return run > waiting ? 'waiting' : undefined;
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
    : `${waiting} messages to this recipient are still waiting to be delivered`;
  return new AppError('QUOTA_EXCEEDED', `${text}; try again from ${at.toISOString()}`, {
    quota: {
      subject: 'recipient',
      description: isPerHour ? 'messages per hour' : 'messages waiting',
    },
    retryAfterMs: at.getTime() - now.getTime(),
  });
}
