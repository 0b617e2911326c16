import { isForeign, type Trust } from '@daycare/api';
import type { Period } from './period';

/** Tokens, and millionths of the currency. */
export interface Amount {
  readonly tokens: number;
  readonly micros: number;
}

/** What a budget limits. `guests`: the turns of a subuser's agents that guests and outsiders start. */
export type BudgetScope =
  | { readonly kind: 'owner' }
  | { readonly kind: 'subuser'; readonly userId: string }
  | { readonly kind: 'guests'; readonly userId: string }
  | { readonly kind: 'agent'; readonly userId: string; readonly agentId: string };

export interface BudgetLimits {
  /** Undefined for no limit. */
  readonly maxTokens?: number;
  readonly maxMicros?: number;
}

/** A limit that applies anew in each period, and the amount spent in the current period. */
export interface Budget extends BudgetLimits {
  readonly id: string;
  readonly setBy: 'owner' | 'operator';
  readonly scope: BudgetScope;
  readonly period: Period;
  /** The period to which `spent` belongs. */
  readonly spentIn: string;
  readonly spent: Amount;
  /** The period for which the person was notified that the budget is used up. */
  readonly toldIn?: string;
  /** The models about whose unknown prices the person was notified in the current period. */
  readonly unpricedNotices?: readonly string[];
}

/** The facts about a model call that budgets depend on. */
export interface BudgetedCall {
  readonly userId: string;
  readonly agentId: string;
  readonly trust: Trust;
}

/** How many budgets an owner's account may have. */
export const maxBudgets = 200;

/** Returns a budget's id. There is one budget per scope, period and setter; setting it again replaces it. */
export function budgetId({
  setBy,
  scope,
  period,
}: Pick<Budget, 'setBy' | 'scope' | 'period'>): string {
  return [setBy, scope.kind, scopeId(scope), period].filter((part) => part !== '').join(':');
}

function scopeId(scope: BudgetScope): string {
  if (scope.kind === 'owner') return '';
  return scope.kind === 'agent' ? scope.agentId : scope.userId;
}

/** Reports whether a call counts against one of its owner's budgets. */
export function appliesTo({ scope }: Pick<Budget, 'scope'>, call: BudgetedCall): boolean {
  switch (scope.kind) {
    case 'owner':
      return true;
    case 'subuser':
      return scope.userId === call.userId;
    case 'guests':
      return scope.userId === call.userId && isForeign(call.trust);
    case 'agent':
      return scope.agentId === call.agentId;
  }
}

export const nothing: Amount = { tokens: 0, micros: 0 };

export function add(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens + other.tokens, micros: one.micros + other.micros };
}

export function subtract(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens - other.tokens, micros: one.micros - other.micros };
}

/** Reports whether an amount exceeds either limit. */
export function exceeds(
  { tokens, micros }: Amount,
  { maxTokens, maxMicros }: BudgetLimits,
): boolean {
  return (
    (maxTokens !== undefined && tokens > maxTokens) ||
    (maxMicros !== undefined && micros > maxMicros)
  );
}
