import { AppError, rememberRequest } from '@daycare/api';
import { dayOf } from '../../agents';
import { bringUpToDate, type Account } from './account';
import { budgetId, maxBudgets, nothing, type Budget, type BudgetLimits } from './budget';
import { periodKey } from './period';

/** The requested budget; a budget without limits is removed. */
export interface BudgetSpec extends Pick<Budget, 'setBy' | 'scope' | 'period'>, BudgetLimits {
  readonly requestId: string;
}

/**
 * Sets or removes a budget. A recount then determines what has been spent in the current period. A retry changes
 * nothing, so that it does not undo a later change.
 */
export function setBudget(account: Account, spec: BudgetSpec, now: Date): Account {
  if (account.changedBy.includes(spec.requestId)) return account;
  const current = bringUpToDate(account, now);
  const id = budgetId(spec);
  const others = current.budgets.filter((budget) => budget.id !== id);
  const isRemoved = spec.maxTokens === undefined && spec.maxMicros === undefined;
  if (!isRemoved && others.length >= maxBudgets) throw tooManyBudgets();
  const existing = current.budgets.find((budget) => budget.id === id);
  return {
    ...current,
    budgets: isRemoved ? others : [...others, toBudget(spec, id, existing, now)],
    changedAt: now,
    changedBy: rememberRequest(current.changedBy, spec.requestId),
    recountAt: now,
  };
}

function toBudget(
  { setBy, scope, period, maxTokens, maxMicros }: BudgetSpec,
  id: string,
  existing: Budget | undefined,
  now: Date,
): Budget {
  return {
    id,
    setBy,
    scope,
    period,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxMicros === undefined ? {} : { maxMicros }),
    spentIn: existing?.spentIn ?? periodKey(period, dayOf(now)),
    spent: existing?.spent ?? nothing,
  };
}

function tooManyBudgets(): AppError {
  const quota = { subject: 'budgets', description: `at most ${maxBudgets} budgets per owner` };
  return new AppError('QUOTA_EXCEEDED', 'You have too many budgets; remove one first', { quota });
}
