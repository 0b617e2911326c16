import type { Collection } from 'mongodb';
import { budgetSideOf } from './budgets';
import type { Tails } from './lane-tails';
import type { UnplacedRow } from './message-draft';
import { openTieIndex, type OutboxRow } from './outbox-row';
import { placeRows, withCounts, type Placing, type Refused } from './place-rows';

/**
 * How many delivered messages of each of these budgets are not handled yet; budgets without any may be
 * missing. Must answer or fail within a second or so: everything that is accepted meanwhile waits for it.
 */
export type CountInInboxes = (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>;

interface Doubt {
  readonly key: string;
  readonly limit: number;
  /** Whether an earlier message of the budget is known; if not, none of them is open. */
  readonly isKnown: boolean;
}

/** A sender who keeps sending, or an unavailable inbox service, must not cause a count for every message. */
const fullForMs = 1_000;
const failedForMs = 3_000;
const maxRemembered = 10_000;

/**
 * Counts waiting messages for budgets that may be exceeded: first those without a receipt, then those in
 * inboxes. A message is in an inbox before it has its receipt, so none is missed; one that is arriving
 * may count twice.
 */
export class WaitingCounter {
  readonly #full = new Map<string, { readonly waiting: number; readonly untilMs: number }>();
  #failedUntilMs = 0;

  constructor(
    private readonly rows: Collection<OutboxRow>,
    private readonly countInInboxes: CountInInboxes,
  ) {}

  /** Places the rows once more, now with exact numbers for those that were refused without them. */
  async placeCounted(
    rows: readonly UnplacedRow[],
    tails: Tails,
    doubtful: readonly Refused[],
  ): Promise<Placing> {
    const doubts = doubtsOf(doubtful, tails);
    const counts = await this.#count(doubts);
    const placing = placeRows(rows, withCounts(tails, counts));
    this.#remember(placing.refused, counts);
    return placing;
  }

  /** While inboxes cannot be counted, only the messages without a receipt count: nothing else is known to wait. */
  async #count(doubts: readonly Doubt[]): Promise<ReadonlyMap<string, number>> {
    const full = new Map(doubts.flatMap((doubt) => this.#findFull(doubt)));
    const asked = doubts.filter(({ key }) => !full.has(key));
    if (asked.length === 0) return full;
    const open = await this.#countOpen(asked.filter(({ isKnown }) => isKnown));
    const inInboxes = await this.#countDelivered(asked.map(({ key }) => key));
    const counted = asked.map(
      ({ key }) => [key, (open.get(key) ?? 0) + (inInboxes?.get(key) ?? 0)] as const,
    );
    return new Map([...full, ...counted]);
  }

  async #countOpen(doubts: readonly Doubt[]): Promise<ReadonlyMap<string, number>> {
    if (doubts.length === 0) return new Map();
    const keys = doubts.map(({ key }) => key);
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
      this.#failedUntilMs = performance.now() + failedForMs;
      return undefined;
    }
  }

  #findFull({ key, limit }: Doubt): [string, number][] {
    const found = this.#full.get(key);
    if (found && found.untilMs > performance.now() && found.waiting >= limit)
      return [[key, found.waiting]];
    this.#full.delete(key);
    return [];
  }

  #remember(refused: readonly Refused[], counts: ReadonlyMap<string, number>): void {
    if (this.#full.size > maxRemembered) this.#full.clear();
    const untilMs = performance.now() + fullForMs;
    for (const { row, exceeded } of refused) {
      const key = row.limited?.key ?? '';
      const waiting = counts.get(key);
      const isFull = exceeded === 'waiting' && waiting !== undefined && !this.#full.has(key);
      if (isFull && waiting >= (row.limited?.limits.waiting ?? 0))
        this.#full.set(key, { waiting, untilMs });
    }
  }
}

function doubtsOf(doubtful: readonly Refused[], { budgets }: Tails): readonly Doubt[] {
  const byKey = new Map(
    doubtful.flatMap(({ row: { limited } }) =>
      limited
        ? [[limited.key, { limit: limited.limits.waiting, isKnown: budgets.has(limited.key) }]]
        : [],
    ) as [string, Omit<Doubt, 'key'>][],
  );
  return [...byKey].map(([key, doubt]) => ({ key, ...doubt }));
}
