import type { ClientSession, Collection, Document } from 'mongodb';
import type { BudgetUse } from './budgets';
import { outboxCollection, type OutboxRow } from './outbox-row';

/** The newest row of a lane. */
export interface Tail {
  readonly id: string;
  readonly seq: number;
  /** Whether it has no receipt yet. */
  readonly open: boolean;
}

/** The newest rows of some lanes and budgets. */
export interface Tails {
  readonly lanes: ReadonlyMap<string, Tail>;
  readonly budgets: ReadonlyMap<string, BudgetUse>;
}

interface FoundTail extends Tail {
  /** A lane or the key of a budget. */
  readonly _id: string;
  /** Only for budgets. */
  readonly budget?: BudgetUse;
  readonly expiresAt?: Date;
}

const hourMs = 60 * 60 * 1000;
/** Far longer than any append takes. */
const minTailLifeMs = hourMs;
const extendedLifeMs = 24 * hourMs;

/**
 * Finds the newest row of each of these lanes and budgets, with or without a receipt. No row that it returns is deleted
 * within the next hour. Otherwise another replica could find the lane empty and restart it at the first position, and
 * the unique index would not detect the conflict.
 */
export async function findTails(
  rows: Collection<OutboxRow>,
  lanes: readonly string[],
  budgetKeys: readonly string[] = [],
  session?: ClientSession,
): Promise<Tails> {
  for (;;) {
    const found = await readTails(rows, lanes, budgetKeys, session);
    if (await postponeExpiry(rows, found)) return toTails(found);
  }
}

/** Reads the tails with one query that skips through the indexes, from one lane or budget to the next. */
async function readTails(
  rows: Collection<OutboxRow>,
  lanes: readonly string[],
  budgetKeys: readonly string[],
  session?: ClientSession,
): Promise<FoundTail[]> {
  const newestOfLanes = newestBy('lane', 'seq', lanes);
  const newestOfBudgets = newestBy('budget.key', 'budget.number', budgetKeys, {
    budget: { $first: '$budget' },
  });
  const union = { $unionWith: { coll: outboxCollection, pipeline: newestOfBudgets } };
  const pipeline = budgetKeys.length > 0 ? [...newestOfLanes, union] : newestOfLanes;
  const batchSize = lanes.length + budgetKeys.length + 1;
  return rows
    .aggregate<FoundTail>(pipeline, { batchSize, ...(session ? { session } : {}) })
    .toArray();
}

function newestBy(
  field: string,
  position: string,
  values: readonly string[],
  more: Document = {},
): Document[] {
  return [
    { $match: { [field]: { $in: values } } },
    { $sort: { [field]: 1, [position]: -1 } },
    {
      $group: {
        _id: `$${field}`,
        id: { $first: '$_id' },
        seq: { $first: '$seq' },
        open: { $first: '$open' },
        expiresAt: { $first: '$expiresAt' },
        ...more,
      },
    },
  ];
}

/**
 * Postpones the expiry of rows that would expire soon; returns false if one of them was deleted in the meantime.
 */
async function postponeExpiry(
  rows: Collection<OutboxRow>,
  found: readonly FoundTail[],
): Promise<boolean> {
  const limit = new Date(Date.now() + minTailLifeMs);
  const ids = found.flatMap(({ id, expiresAt }) => (expiresAt && expiresAt < limit ? [id] : []));
  if (ids.length === 0) return true;
  const expiresAt = new Date(Date.now() + extendedLifeMs);
  const { matchedCount } = await rows.updateMany({ _id: { $in: ids } }, { $set: { expiresAt } });
  return matchedCount === new Set(ids).size;
}

function toTails(found: readonly FoundTail[]): Tails {
  const lanes = found.filter(({ budget }) => !budget);
  return {
    lanes: new Map(lanes.map((tail) => [tail._id, tail])),
    budgets: new Map(found.flatMap(({ _id, budget }) => (budget ? [[_id, budget]] : []))),
  };
}
