import { LRUCache } from 'lru-cache';
import type { AccountStore } from '../store/account-store';

export interface KnownBudgetsDeps {
  readonly accounts: Pick<AccountStore, 'hasBudgets' | 'listChanged'>;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
}

const maxOwners = 100_000;
/** How old the knowledge may be before it is refreshed, and before a call waits for that. */
const freshMs = 1_000;
const staleMs = 5_000;
/** Covers slow polls, and clocks of other replicas that are behind. */
const overlapMs = 60_000;

/**
 * Which owners have budgets, in memory, so that the others pay nothing for there being any. Read once when an
 * owner is first seen. What other replicas set is polled at most once a second, while calls are made.
 */
export class KnownBudgets {
  readonly #known = new LRUCache<string, boolean>({ max: maxOwners });
  #polledAt: Date;
  #polling: Promise<void> | undefined;

  constructor(private readonly deps: KnownBudgetsDeps) {
    this.#polledAt = deps.now();
  }

  /** A promise only if something has to be read first. */
  has(ownerUserId: string): boolean | Promise<boolean> {
    const ageMs = this.deps.now().getTime() - this.#polledAt.getTime();
    if (ageMs >= staleMs) return this.#poll().then(() => this.#find(ownerUserId));
    if (ageMs >= freshMs)
      this.#poll().catch((error: unknown) =>
        this.deps.log.warn({ err: error }, 'poll of changed budgets failed; retrying'),
      );
    return this.#find(ownerUserId);
  }

  set(ownerUserId: string, hasBudgets: boolean): void {
    this.#known.set(ownerUserId, hasBudgets);
  }

  #find(ownerUserId: string): boolean | Promise<boolean> {
    return this.#known.get(ownerUserId) ?? this.#read(ownerUserId);
  }

  /** One at a time, shared by everyone who waits for it. */
  #poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => (this.#polling = undefined));
    return this.#polling;
  }

  async #pollOnce(): Promise<void> {
    const beganAt = this.deps.now();
    const since = new Date(this.#polledAt.getTime() - overlapMs);
    for (const [id, has] of await this.deps.accounts.listChanged(since)) this.#known.set(id, has);
    this.#polledAt = beganAt;
  }

  async #read(ownerUserId: string): Promise<boolean> {
    const has = await this.deps.accounts.hasBudgets(ownerUserId);
    // A poll that ended meanwhile may know more.
    if (!this.#known.has(ownerUserId)) this.#known.set(ownerUserId, has);
    return this.#known.get(ownerUserId) ?? has;
  }
}
