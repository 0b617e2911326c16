import type { AppError } from '@daycare/api';
import {
  budgetExceeded,
  exceededBy,
  nextUse,
  unusedBudget,
  type BudgetLimits,
  type BudgetUse,
} from './budgets';
import type { Tails } from './lane-tails';
import type { UnplacedRow } from './message-draft';
import type { OpenRow } from './outbox-row';

export interface Refused {
  readonly row: UnplacedRow;
  readonly exceeded: 'per_hour' | 'waiting';
  readonly error: AppError;
}

export interface Placing {
  readonly placed: readonly OpenRow[];
  /** The input rows that were placed. */
  readonly placedOf: readonly UnplacedRow[];
  readonly refused: readonly Refused[];
}

/**
 * Places rows at the ends of their lanes and budgets; several rows of one lane follow each other there. Rows over their
 * budget get no place.
 */
export function placeRows(rows: readonly UnplacedRow[], tails: Tails): Placing {
  const lanes = new Map(tails.lanes);
  const budgets = new Map(tails.budgets);
  const placed: OpenRow[] = [];
  const placedOf: UnplacedRow[] = [];
  const refused: Refused[] = [];
  for (const unplaced of rows) {
    const { limited, ...row } = unplaced;
    const budget = limited && nextUse(limited.key, budgets.get(limited.key), row.acceptedAt);
    const exceeded = limited && budget && exceededBy(budget, limited.limits);
    if (exceeded) {
      refused.push(refusal(unplaced, exceeded, budget, limited.limits));
      continue;
    }
    if (budget) budgets.set(budget.key, budget);
    const tail = lanes.get(row.lane);
    const seq = (tail?.seq ?? 0) + 1;
    lanes.set(row.lane, { id: row._id, seq, open: true });
    const predecessors = tail?.open ? [tail.id, ...row.predecessors] : row.predecessors;
    placed.push({ ...row, seq, predecessors, ...(budget ? { budget } : {}) });
    placedOf.push(unplaced);
  }
  return { placed, placedOf, refused };
}

/**
 * The tails, with the numbers of waiting messages that were counted for some budgets. A message that is
 * arriving may have been counted twice, so a count can lower the known bound but never raises it.
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
  exceeded: Refused['exceeded'],
  use: BudgetUse,
  limits: BudgetLimits,
): Refused {
  return { row, exceeded, error: budgetExceeded(exceeded, use, limits, row.acceptedAt) };
}
