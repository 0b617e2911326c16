import { limitEntries } from '@daycare/api';
import { LRUCache } from 'lru-cache';
import type { BudgetUse } from './budgets';
import type { Tail, Tails } from './lane-tails';
import type { UnplacedRow } from './message-draft';
import type { OpenRow } from './outbox-row';

/** Far shorter than receipts are kept: a row that is remembered here has not been deleted. */
const rememberedMs = 10 * 60 * 1000;
/** Where several replicas append to the same lanes, what one of them remembers is soon outdated. */
const distrustedMs = 10_000;
const maxRemembered = 20_000;

interface KnownTail extends Tail {
  open: boolean;
  /**
   * The version of the tie that the row needs. Messages that need an older version may have ended without being
   * delivered.
   */
  readonly tieVersion: number | undefined;
  readonly storedAtMs: number;
}

interface KnownBudget {
  readonly use: BudgetUse;
  readonly storedAtMs: number;
}

/** What is remembered about the lanes and budgets of some rows, and what has to be looked up. */
export interface TailsOfRows extends Tails {
  readonly unknownLanes: readonly string[];
  readonly unknownBudgets: readonly string[];
}

/**
 * The newest rows of lanes and budgets, as far as this process has stored them. Another replica may have
 * stored newer ones: a unique index refuses an append behind a row that is no longer the newest, and the newest
 * is then looked up.
 */
export class KnownTails {
  readonly #lanes = new LRUCache<string, KnownTail>({
    ...limitEntries(maxRemembered),
    dispose: ({ id }) => this.#openTails.delete(id),
  });
  readonly #budgets = new LRUCache<string, KnownBudget>(limitEntries(maxRemembered));
  readonly #openTails = new Map<string, KnownTail>();
  #distrustedUntilMs = -Infinity;

  /** `now` must be monotonic. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  find(rows: readonly UnplacedRow[]): TailsOfRows {
    const lanes = new Map<string, Tail>();
    const budgets = new Map<string, BudgetUse>();
    const unknownLanes = new Set<string>();
    const unknownBudgets = new Set<string>();
    const oldest = this.now() < this.#distrustedUntilMs ? Infinity : this.now() - rememberedMs;
    for (const row of rows) {
      const { lane, budgetSpec } = row;
      const tail = this.#lanes.get(lane);
      if (tail && tail.storedAtMs > oldest && mayFollow(row, tail)) lanes.set(lane, tail);
      else unknownLanes.add(lane);
      if (budgetSpec === undefined) continue;
      const budget = this.#budgets.get(budgetSpec.key);
      if (budget && budget.storedAtMs > oldest) budgets.set(budgetSpec.key, budget.use);
      else unknownBudgets.add(budgetSpec.key);
    }
    return {
      lanes,
      budgets,
      unknownLanes: [...unknownLanes],
      unknownBudgets: [...unknownBudgets],
    };
  }

  /** Call it with rows that have been stored, in their order. */
  add(rows: readonly OpenRow[]): void {
    const storedAtMs = this.now();
    if (storedAtMs < this.#distrustedUntilMs) return;
    for (const row of rows) {
      const { lane, budget } = row;
      if (row.recipientService === undefined) this.#remember(row, storedAtMs);
      else this.#lanes.delete(lane);
      if (budget) this.#budgets.set(budget.key, { use: budget, storedAtMs });
    }
  }

  #remember({ _id: id, lane, seq, tie }: OpenRow, storedAtMs: number): void {
    const tail = { id, seq, open: true, tieVersion: tie?.version, storedAtMs };
    this.#lanes.set(lane, tail);
    this.#openTails.set(id, tail);
  }

  /** Call it with messages that have their receipts, so that rows behind them no longer name them as predecessors. */
  close(ids: readonly string[]): void {
    for (const id of ids) {
      const tail = this.#openTails.get(id);
      if (!tail) continue;
      tail.open = false;
      this.#openTails.delete(id);
    }
  }

  /** Call it when rows of these lanes and budgets may have been stored without being added here. */
  forget(lanes: readonly string[], budgetKeys: readonly string[]): void {
    for (const lane of lanes) this.#lanes.delete(lane);
    for (const key of budgetKeys) this.#budgets.delete(key);
  }

  /**
   * Forgets everything and remembers nothing new for ten seconds; call it when other replicas append to the same lanes
   * or budgets.
   */
  distrust(): void {
    this.#lanes.clear();
    this.#budgets.clear();
    this.#openTails.clear();
    this.#distrustedUntilMs = this.now() + distrustedMs;
  }
}

/**
 * Reports whether a row may be placed behind a remembered one without a look-up. A row for a service may not: it
 * is held back until the one before it has its receipt, which another replica may have received. (Rows for
 * services are not remembered either, because only their receipts say that they were handled.) Nor may a row for
 * another version of the tie: rows of an older version may have ended undelivered, and a row that names one of
 * them would wait for a message that never arrives.
 */
function mayFollow({ recipientService, tie }: UnplacedRow, { tieVersion }: KnownTail): boolean {
  return recipientService === undefined && tie?.version === tieVersion;
}
