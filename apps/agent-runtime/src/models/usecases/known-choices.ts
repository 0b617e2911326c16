import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import { ChangePoll } from '../../shared/concurrency/change-poll';
import type { ModelName } from '../catalogue/model-entry';
import type { ChoiceStore } from '../store/choice-store';

export interface KnownChoicesDeps {
  readonly choices: Pick<ChoiceStore, 'find' | 'listChanged' | 'newestMark'>;
  /** Called when the added providers may have changed, with their newest revision if it is known. */
  readonly reloadProviders: (newest?: number) => Promise<void>;
  readonly now: () => Date;
  /** A monotonic clock, in milliseconds. */
  readonly clock?: () => number;
}

const maxKeys = 100_000;
/** The maximum age of cached choices. A call that changes a choice waits this long before it returns. */
export const maxChoiceAgeMs = 250;
const none: readonly ModelName[] = [];

/**
 * The choices for users, roles and the instance, in memory, so that a turn does not query each of them. Each key is
 * read when it is first used. Before a returned choice could be older than `maxChoiceAgeMs`, one query reads what other
 * replicas have changed.
 */
export class KnownChoices {
  readonly #known = new LRUCache<string, readonly ModelName[]>(limitEntries(maxKeys));
  readonly #changes: ChangePoll<Date>;

  constructor(private readonly deps: KnownChoicesDeps) {
    this.#changes = new ChangePoll({
      begin: () => this.#begin(),
      update: (since, quietMs) => this.#update(since, quietMs),
      isSame: (one, other) => one.getTime() === other.getTime(),
      now: deps.now,
      clock: deps.clock,
    });
  }

  /** Finds the choices for these keys; empty for a key without a choice. */
  async find(keys: readonly string[]): Promise<(key: string) => readonly ModelName[]> {
    await this.refresh();
    const found = new Map(keys.map((key) => [key, this.#known.get(key)]));
    const unknown = keys.filter((key) => found.get(key) === undefined);
    if (unknown.length > 0)
      for (const [key, models] of await this.#read(unknown)) found.set(key, models);
    return (key) => found.get(key) ?? none;
  }

  /** After this, every change older than `maxChoiceAgeMs` is known, including changes to providers. */
  async refresh(): Promise<void> {
    if (this.#changes.isOlderThan(maxChoiceAgeMs)) await this.#changes.poll();
  }

  set(key: string, models: readonly ModelName[]): void {
    this.#known.set(key, models);
  }

  async #read(keys: readonly string[]): Promise<ReadonlyMap<string, readonly ModelName[]>> {
    const stored = await this.deps.choices.find(keys);
    // A poll that ended in the meantime may have newer values.
    for (const key of keys)
      if (!this.#known.has(key)) this.#known.set(key, stored.get(key) ?? none);
    return new Map(keys.map((key) => [key, this.#known.get(key) ?? none]));
  }

  /** Reads the time of the newest change before anything else, so that later polls find what the reads missed. */
  async #begin(): Promise<Date> {
    const mark = await this.deps.choices.newestMark();
    await this.deps.reloadProviders();
    return mark;
  }

  async #update(since: Date, quietMs: number): Promise<Date> {
    const changed = await this.deps.choices.listChanged(since, quietMs);
    const { choices, mark, providersRevision } = changed;
    for (const [key, models] of choices) this.#known.set(key, models);
    if (providersRevision !== undefined) await this.deps.reloadProviders(providersRevision);
    return mark;
  }
}
