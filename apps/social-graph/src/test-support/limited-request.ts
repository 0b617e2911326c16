import { uniqueName } from '@daycare/testing';
import { decideBudget, type RequestLimits } from '../domain/request-budget';
import type { LimitedRequest } from '../store/budget-store';
import type { StoredTie } from '../store/tie-document';

/** The part of a change that `changeTie` adds for a new request. */
export function limitedRequest(
  userId: string,
  { pair, version }: StoredTie,
  limits: RequestLimits,
  now: Date,
): LimitedRequest {
  return {
    userId,
    reservation: { id: uniqueName('reservation'), at: now, pairId: pair.id, version },
    decide: (budget, pendingOut) => decideBudget(budget, pendingOut, limits, now),
  };
}
