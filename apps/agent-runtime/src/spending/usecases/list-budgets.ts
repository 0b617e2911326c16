import { bringUpToDate, reservedOf, type Account } from '../domain/account';
import type { Amount, Budget } from '../domain/budget';
import { periodEnd } from '../domain/period';
import type { AccountStore } from '../store/account-store';
import { checkSpenderIds } from './get-usage';
import { findSpender, type Requester, type FindSpenderDeps } from './spender';

export interface ListBudgetsCall {
  readonly requester: Requester;
  /** As `userId` in `GetUsageCall`. */
  readonly userId: string;
}

export interface BudgetView {
  readonly budget: Budget;
  readonly reserved: Amount;
  readonly renewsAt: Date;
}

export interface ListBudgetsDeps extends FindSpenderDeps {
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly now: () => Date;
}

/**
 * Lists an owner's budgets, or only those for one subuser, its guests and its agents; there are so few that no paging
 * is needed.
 */
export function makeListBudgets(deps: ListBudgetsDeps) {
  return async (call: ListBudgetsCall): Promise<readonly BudgetView[]> => {
    const spender = { ...call, agentId: '' };
    checkSpenderIds(spender).done();
    const { ownerUserId, userId } = await findSpender(call.requester, spender, deps);
    const found = await deps.accounts.find(ownerUserId);
    if (!found) return [];
    const account = bringUpToDate(found, deps.now());
    return account.budgets
      .filter((budget) => userId === undefined || isSetFor(budget, userId))
      .map((budget) => viewOf(account, budget));
  };
}

export function viewOf(account: Account, budget: Budget): BudgetView {
  const renewsAt = periodEnd(budget.period, budget.spentIn);
  return { budget, reserved: reservedOf(account, budget), renewsAt };
}

/** Reports whether a budget is set for this user, rather than for another user or for the owner as a whole. */
function isSetFor({ scope }: Budget, userId: string): boolean {
  return scope.kind !== 'owner' && scope.userId === userId;
}
