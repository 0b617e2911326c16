import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import { limitEntries } from '@daycare/api';
import { budgetSideOf } from './budgets';
import type { Tails } from './lane-tails';
import type { UnplacedRow } from './message-draft';
import { openTieIndex, type OutboxRow } from './outbox-row';
import { placeRows, withCounts, type Placement, type RefusedRow } from './place-rows';

/**
 * Counts, per budget, the delivered messages that are not handled yet; budgets without any may be missing. Must
 * resolve or reject within a second or so, because all messages to be accepted in the meantime have to wait.
 */
export type CountInInboxes = (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** A budget that may be exceeded, so its waiting messages have to be counted. */
interface DoubtfulBudget {
  readonly key: string;
  readonly limit: number;
  /** Whether an earlier message of the budget is known; if not, none of them is open. */
  readonly isKnown: boolean;
}

/** A sender who keeps sending, or an unavailable inbox service, must not cause a count for every message. */
const rememberFullMs = 1_000;
const rememberFailureMs = 3_000;
const maxRemembered = 10_000;

/**
 * Counts waiting messages for budgets that may be exceeded: first those without a receipt, then those in
 * inboxes. A message is in an inbox before it has its receipt, so none is missed; one that is just arriving
 * may be counted twice.
 */
export class WaitingCounter {
  readonly #fullBudgets = new LRUCache<
    string,
    { readonly waiting: number; readonly untilMs: number }
  >(limitEntries(maxRemembered));
  #failedUntilMs = 0;

  constructor(
    private readonly rows: Collection<OutboxRow>,
    private readonly countInInboxes: CountInInboxes,
  ) {}

  /** Places the rows once more, this time with counts for the budgets of the `doubtful` rows. */
  async placeCounted(
    rows: readonly UnplacedRow[],
    tails: Tails,
    doubtful: readonly RefusedRow[],
  ): Promise<Placement> {
    const doubtfulBudgets = doubtfulBudgetsOf(doubtful, tails);
    const counts = await this.#count(doubtfulBudgets);
    const placement = placeRows(rows, withCounts(tails, counts));
    this.#remember(placement.refused, counts);
    return placement;
  }

  /** While inboxes cannot be counted, counts only messages without a receipt, because no others are known to wait. */
  async #count(doubtfulBudgets: readonly DoubtfulBudget[]): Promise<ReadonlyMap<string, number>> {
    const fullBudgets = new Map(doubtfulBudgets.flatMap((budget) => this.#findFullBudget(budget)));
    const budgetsToCount = doubtfulBudgets.filter(({ key }) => !fullBudgets.has(key));
    if (budgetsToCount.length === 0) return fullBudgets;
    const open = await this.#countOpen(budgetsToCount.filter(({ isKnown }) => isKnown));
    const inInboxes = await this.#countDelivered(budgetsToCount.map(({ key }) => key));
    const counted = budgetsToCount.map(
      ({ key }) => [key, (open.get(key) ?? 0) + (inInboxes?.get(key) ?? 0)] as const,
    );
    return new Map([...fullBudgets, ...counted]);
  }

  async #countOpen(
    doubtfulBudgets: readonly DoubtfulBudget[],
  ): Promise<ReadonlyMap<string, number>> {
    if (doubtfulBudgets.length === 0) return new Map();
    const keys = doubtfulBudgets.map(({ key }) => key);
    const tieIds = keys.map((key) => budgetSideOf(key).tieId);
    const match = { open: true, 'tie.id': { $in: tieIds }, 'budget.key': { $in: keys } };
    const found = await this.rows
      .aggregate<{ _id: string; count: number }>(
        [{ $match: match }, { $group: { _id: '$budget.key', count: { $sum: 1 } } }],
        { hint: openTieIndex },
      )
      .toArray();
    return new Map(found.map(({ _id, count }) => [_id, count]));
  }

  /** Undefined while the inboxes cannot be counted. */
  async #countDelivered(keys: readonly string[]): Promise<ReadonlyMap<string, number> | undefined> {
    if (performance.now() < this.#failedUntilMs) return undefined;
    try {
      return await this.countInInboxes(keys);
    } catch {
      this.#failedUntilMs = performance.now() + rememberFailureMs;
      return undefined;
    }
  }

  #findFullBudget({ key, limit }: DoubtfulBudget): [string, number][] {
    const found = this.#fullBudgets.get(key);
    if (found && found.untilMs > performance.now() && found.waiting >= limit)
      return [[key, found.waiting]];
    this.#fullBudgets.delete(key);
    return [];
  }

  #remember(refused: readonly RefusedRow[], counts: ReadonlyMap<string, number>): void {
    const untilMs = performance.now() + rememberFullMs;
    for (const { row, exceeded } of refused) {
      const key = row.budgetSpec?.key ?? '';
      const waiting = counts.get(key);
      const isFull = exceeded === 'waiting' && waiting !== undefined && !this.#fullBudgets.has(key);
      if (isFull && waiting >= (row.budgetSpec?.limits.waiting ?? 0))
        this.#fullBudgets.set(key, { waiting, untilMs });
    }
  }
}

function doubtfulBudgetsOf(
  doubtful: readonly RefusedRow[],
  { budgets }: Tails,
): readonly DoubtfulBudget[] {
  const byKey = new Map(
    doubtful.flatMap(({ row: { budgetSpec } }) =>
      budgetSpec
        ? [
            [
              budgetSpec.key,
              { limit: budgetSpec.limits.waiting, isKnown: budgets.has(budgetSpec.key) },
            ],
          ]
        : [],
    ) as [string, Omit<DoubtfulBudget, 'key'>][],
  );
  return [...byKey].map(([key, budget]) => ({ key, ...budget }));
}
