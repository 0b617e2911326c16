import { decideBudget, type RequestLimits } from '../domain/request-budget';
import type { TieChange } from '../store/tie-changes';

/** What `changeTie` hands to the store for a new request. */
export function limitedRequest(
  userId: string,
  limits: RequestLimits,
  now: Date,
): NonNullable<TieChange['request']> {
  return {
    userId,
    now,
    countUpTo: limits.pending,
    decide: (budget, pendingOut) => decideBudget(budget, pendingOut, limits, now),
  };
}
