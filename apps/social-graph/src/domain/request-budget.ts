/** How many requests for friendship a user may make. */
export interface RequestLimits {
  readonly perHour: number;
  readonly pending: number;
}

/** The requests a user has made of late. */
export interface RequestBudget {
  readonly madeAt: readonly Date[];
}

const hourMs = 60 * 60 * 1000;

export type BudgetDecision =
  | { readonly budget: RequestBudget }
  | { readonly exceeded: 'per_hour'; readonly allowedAt: Date }
  | { readonly exceeded: 'pending' };

/** Whether a user may make one more request now, and what it has made then. */
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
