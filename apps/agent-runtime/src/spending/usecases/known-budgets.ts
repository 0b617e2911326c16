import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import { ChangePoll } from '../../shared/concurrency/change-poll';
import type { AccountStore, BudgetMark } from '../store/account-store';

export interface KnownBudgetsDeps {
  readonly accounts: Pick<AccountStore, 'hasBudgets' | 'listChanged' | 'newestMark'>;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
  /** In milliseconds; monotonic. */
  readonly clock?: () => number;
}

const maxOwners = 100_000;
/** The age at which cached budgets are refreshed, and the age at which a call waits for the refresh. */
const freshMs = 1_000;
const staleMs = 5_000;

/**
 * Keeps in memory which owners have budgets, so that owners without budgets cost no query. An owner is read when first
 * seen, and again if it is no longer in memory. While calls are being made, changes by other replicas are polled at
 * most once a second.
 */
export class KnownBudgets {
  readonly #known = new LRUCache<string, boolean>(limitEntries(maxOwners));
  readonly #changes: ChangePoll<BudgetMark>;

  constructor(private readonly deps: KnownBudgetsDeps) {
    this.#changes = new ChangePoll({
      begin: () => this.#begin(),
      update: (since, quietMs) => this.#update(since, quietMs),
      isSame: (one, other) => one.equals(other),
      now: deps.now,
      clock: deps.clock,
    });
  }

  /** Reports whether an owner has budgets; returns a promise only if something has to be read first. */
  has(ownerUserId: string): boolean | Promise<boolean> {
    if (this.#changes.isOlderThan(staleMs))
      return this.#changes.poll().then(() => this.#find(ownerUserId));
    if (this.#changes.isOlderThan(freshMs))
      this.#changes
        .poll()
        .catch((error: unknown) =>
          this.deps.log.warn({ err: error }, 'polling for changed budgets failed; retrying'),
        );
    return this.#find(ownerUserId);
  }

  set(ownerUserId: string, hasBudgets: boolean): void {
    this.#known.set(ownerUserId, hasBudgets);
  }

  #find(ownerUserId: string): boolean | Promise<boolean> {
    return this.#known.get(ownerUserId) ?? this.#read(ownerUserId);
  }

  /** Forgets all cached values, so that every value is read after the time of the returned mark. */
  async #begin(): Promise<BudgetMark> {
    const mark = await this.deps.accounts.newestMark();
    this.#known.clear();
    return mark;
  }

  async #update(since: BudgetMark, quietMs: number): Promise<BudgetMark> {
    const { owners, mark } = await this.deps.accounts.listChanged(since, quietMs);
    for (const [id, has] of owners) this.#known.set(id, has);
    return mark;
  }

  async #read(ownerUserId: string): Promise<boolean> {
    const has = await this.deps.accounts.hasBudgets(ownerUserId);
    // A poll that ended in the meantime may have newer values.
    if (!this.#known.has(ownerUserId)) this.#known.set(ownerUserId, has);
    return this.#known.get(ownerUserId) ?? has;
  }
}
