import { AppError, type FieldChecks } from '@daycare/api';
import { bringUpToDate } from '../domain/account';
import { budgetId, type BudgetLimits, type BudgetScope } from '../domain/budget';
import type { Period } from '../domain/period';
import { setBudget } from '../domain/set-budget';
import type { AccountStore } from '../store/account-store';
import { checkSpenderIds } from './get-usage';
import type { KnownBudgets } from './known-budgets';
import { viewOf, type BudgetView } from './list-budgets';
import type { RecountAccount } from './recount-account';
import { findSpender, type Requester, type FindSpenderDeps, type Spender } from './spender';

export interface SetBudgetCall extends BudgetLimits {
  readonly requester: Requester;
  readonly requestId: string;
  /** As `userId` in `GetUsageCall`. */
  readonly userId: string;
  readonly agentId: string;
  /** Whether the budget limits only the subuser's turns that guests and outsiders start. */
  readonly guests: boolean;
  /** Undefined if the request's period is missing or invalid. */
  readonly period: Period | undefined;
}

export interface SetBudgetDeps extends FindSpenderDeps {
  readonly accounts: Pick<AccountStore, 'change' | 'ensure' | 'find'>;
  readonly knownBudgets: Pick<KnownBudgets, 'set'>;
  readonly recount: Pick<RecountAccount, 'now'>;
  readonly now: () => Date;
}

const maxTokens = 1_000_000_000_000;
const maxMicros = 1_000_000_000_000_000;

/**
 * Sets or, without limits, removes a budget. Budgets set by an operator exist alongside the owner's, and the owner
 * cannot change them. Returns the budget with its spending so far; undefined when it was removed.
 */
export function makeSetBudget(deps: SetBudgetDeps) {
  return async (call: SetBudgetCall): Promise<BudgetView | undefined> => {
    const period = checkCall(call);
    const spender = await findSpender(call.requester, call, deps);
    const { ownerUserId } = spender;
    const scope = scopeOf(spender, call.guests);
    const setBy = call.requester.kind === 'operator' ? 'operator' : 'owner';
    const limits = limitsOf(call);
    const spec = { setBy, scope, period, ...limits, requestId: call.requestId } as const;
    await deps.accounts.ensure(ownerUserId, deps.now());
    await deps.accounts.change(ownerUserId, (account) => ({
      account: setBudget(account, spec, deps.now()),
      result: undefined,
    }));
    await deps.recount.now(ownerUserId);
    const account = await deps.accounts.find(ownerUserId);
    deps.knownBudgets.set(ownerUserId, (account?.budgets.length ?? 0) > 0);
    const current = account && bringUpToDate(account, deps.now());
    const budget = current?.budgets.find(({ id }) => id === budgetId(spec));
    return current && budget ? viewOf(current, budget) : undefined;
  };
}

function checkCall(call: SetBudgetCall): Period {
  const { period, guests, userId, agentId } = call;
  const checks = checkSpenderIds(call).requestId(call.requestId);
  checks.require(period !== undefined, 'period', 'must be day or month');
  checks.require(!guests || userId !== '', 'user_id', 'is required for a guest budget');
  checks.require(!guests || agentId === '', 'agent_id', 'must be empty for a guest budget');
  checkLimit(call.maxTokens, 'max_tokens', maxTokens, checks);
  checkLimit(call.maxMicros, 'max_cost_micros', maxMicros, checks);
  checks.done();
  if (!period) throw new AppError('INTERNAL', 'unreachable: the checks passed without a period');
  return period;
}

function checkLimit(
  limit: number | undefined,
  field: string,
  max: number,
  checks: FieldChecks,
): void {
  const fits = limit === undefined || (Number.isSafeInteger(limit) && limit >= 0 && limit <= max);
  checks.require(fits, field, `must be 0 to ${max}, got ${limit}`);
}

function limitsOf({ maxTokens: tokens, maxMicros: micros }: BudgetLimits): BudgetLimits {
  return {
    ...(tokens === undefined ? {} : { maxTokens: tokens }),
    ...(micros === undefined ? {} : { maxMicros: micros }),
  };
}

function scopeOf({ ownerUserId, userId, agentId }: Spender, guests: boolean): BudgetScope {
  if (agentId !== undefined) return { kind: 'agent', userId: userId ?? ownerUserId, agentId };
  if (userId === undefined || userId === ownerUserId) {
    if (!guests) return { kind: 'owner' };
    throw new AppError(
      'FAILED_PRECONDITION',
      'Only subusers have guests; name one of your subusers',
    );
  }
  return { kind: guests ? 'guests' : 'subuser', userId };
}
