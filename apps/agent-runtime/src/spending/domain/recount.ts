import { countsIn, reservationMs, type Account } from './account';
import { add, nothing, subtract, type Amount, type BudgetedCall } from './budget';

const recountEveryMs = 15 * 60_000;
const recountAfterChangeMs = 30_000;

/** Usage of recorded calls. */
export interface FoundUsage extends BudgetedCall {
  readonly day: string;
  readonly tokens: number;
  readonly micros: number;
}

/** The amount to add to what a budget has spent in one period; may be negative. */
export interface Correction {
  readonly budgetId: string;
  readonly spentIn: string;
  readonly difference: Amount;
}

export interface Recount {
  readonly corrections: readonly Correction[];
  /** When the account that the corrections are based on was read. */
  readonly readAt: Date;
  /** How many times the account had been recounted by then. */
  readonly recounts: number;
}

/** Returns, for each budget, the usage that was found minus what the account has counted. */
export function correctionsOf({ budgets }: Account, found: readonly FoundUsage[]): Correction[] {
  return budgets.map((budget) => {
    const spent = found
      .filter((use) => countsIn(budget, use))
      .reduce<Amount>((sum, use) => add(sum, use), nothing);
    return {
      budgetId: budget.id,
      spentIn: budget.spentIn,
      difference: subtract(spent, budget.spent),
    };
  });
}

/**
 * Applies differences rather than totals, so that calls settled since the account was read still count. A budget that
 * has begun a new period since then is not corrected. If another recount was applied in the meantime, it may have
 * contained the same differences, so these are dropped and the account is due to be recounted.
 */
export function correct(account: Account, { corrections, readAt, recounts }: Recount): Account {
  if (account.recounts !== recounts) return { ...account, recountAt: readAt };
  const next = new Date(readAt.getTime() + recountDelayMs(account, readAt));
  return {
    ...account,
    recounts: recounts + 1,
    // Another recount is already due, e.g. because a reservation was dropped after the account was read.
    recountAt: account.recountAt > readAt ? account.recountAt : next,
    budgets: account.budgets.map((budget) => {
      const { difference } =
        corrections.find(
          ({ budgetId, spentIn }) => budgetId === budget.id && spentIn === budget.spentIn,
        ) ?? {};
      return difference ? { ...budget, spent: add(budget.spent, difference) } : budget;
    }),
  };
}

/**
 * For a while after a budget was set, recounts are frequent: calls that began before it was set have no reservation, so
 * only a recount adds them.
 */
function recountDelayMs({ changedAt }: Account, readAt: Date): number {
  const isRecent = readAt.getTime() - changedAt.getTime() < reservationMs;
  return isRecent ? recountAfterChangeMs : recountEveryMs;
}
