import type { AppError } from '@daycare/api';
import {
  budgetExceeded,
  exceededLimit,
  nextUse,
  unusedBudget,
  type BudgetLimits,
  type BudgetUse,
} from './budgets';
import type { Tails } from './lane-tails';
import type { UnplacedRow } from './message-draft';
import type { OpenRow } from './outbox-row';

export interface RefusedRow {
  readonly row: UnplacedRow;
  readonly exceeded: 'per_hour' | 'waiting';
  readonly error: AppError;
}

export interface Placement {
  readonly placed: readonly OpenRow[];
  /** The given rows that became `placed`, in the same order. */
  readonly placedInputs: readonly UnplacedRow[];
  readonly refused: readonly RefusedRow[];
}

/**
 * Places rows at the ends of their lanes and budgets; rows of the same lane follow each other. Refuses rows that
 * would exceed their budgets.
 */
export function placeRows(rows: readonly UnplacedRow[], tails: Tails): Placement {
  const lanes = new Map(tails.lanes);
  const budgets = new Map(tails.budgets);
  const placed: OpenRow[] = [];
  const placedInputs: UnplacedRow[] = [];
  const refused: RefusedRow[] = [];
  for (const unplaced of rows) {
    const { budgetSpec, ...row } = unplaced;
    const budget =
      budgetSpec && nextUse(budgetSpec.key, budgets.get(budgetSpec.key), row.acceptedAt);
    const exceeded = budgetSpec && budget && exceededLimit(budget, budgetSpec.limits);
    if (exceeded) {
      refused.push(refusal(unplaced, exceeded, budget, budgetSpec.limits));
      continue;
    }
    if (budget) budgets.set(budget.key, budget);
    const tail = lanes.get(row.lane);
    const seq = (tail?.seq ?? 0) + 1;
    lanes.set(row.lane, { id: row._id, seq, open: true });
    const predecessors = tail?.open ? [tail.id, ...row.predecessors] : row.predecessors;
    placed.push({ ...row, seq, predecessors, ...(budget ? { budget } : {}) });
    placedInputs.push(unplaced);
  }
  return { placed, placedInputs, refused };
}

/**
 * Returns the tails, updated with counts of the waiting messages of some budgets. A message that is just arriving
 * may have been counted twice, so a count can lower the known bound but never raises it.
 */
export function withCounts(tails: Tails, waiting: ReadonlyMap<string, number>): Tails {
  const budgets = new Map<string, BudgetUse>(tails.budgets);
  for (const [key, counted] of waiting) {
    const known = budgets.get(key);
    const waitingAtMost = Math.min(known?.waitingAtMost ?? Infinity, counted);
    budgets.set(key, { ...(known ?? unusedBudget(key)), waitingAtMost });
  }
  return { ...tails, budgets };
}

function refusal(
  row: UnplacedRow,
  exceeded: RefusedRow['exceeded'],
  use: BudgetUse,
  limits: BudgetLimits,
): RefusedRow {
  return { row, exceeded, error: budgetExceeded(exceeded, use, limits, row.acceptedAt) };
}
