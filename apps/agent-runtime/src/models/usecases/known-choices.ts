import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import type { ModelName } from '../catalogue/model-entry';
import type { ChoiceStore } from '../store/choice-store';

export interface KnownChoicesDeps {
  readonly choices: Pick<ChoiceStore, 'find' | 'listChanged' | 'newestMark'>;
  /** Called when the providers may have changed, with their newest revision where it is known. */
  readonly reloadProviders: (newest?: number) => Promise<void>;
  readonly now: () => Date;
}

const maxKeys = 100_000;
/** The maximum age of cached choices. A call that changes a choice waits this long before it answers. */
export const freshMs = 250;
const none: readonly ModelName[] = [];

/**
 * The choices of users, roles and the instance, in memory: a turn costs no query. Each key is read when
 * it is first used. Changes by other replicas are polled before an answer would be older than `freshMs`.
 */
export class KnownChoices {
  readonly #known = new LRUCache<string, readonly ModelName[]>(limitEntries(maxKeys));
  /** Changes up to this time of the database's clock are known. */
  #mark: Date | undefined;
  #polledAt = new Date(0);
  #polling: Promise<void> | undefined;

  constructor(private readonly deps: KnownChoicesDeps) {}

  /** The choices of these keys; empty where there is none. */
  async find(keys: readonly string[]): Promise<(key: string) => readonly ModelName[]> {
    await this.refresh();
    const found = new Map(keys.map((key) => [key, this.#known.get(key)]));
    const unknown = keys.filter((key) => found.get(key) === undefined);
    if (unknown.length > 0)
      for (const [key, models] of await this.#read(unknown)) found.set(key, models);
    return (key) => found.get(key) ?? none;
  }

  /** Afterwards all changes up to `freshMs` ago are known, those of providers included. */
  async refresh(): Promise<void> {
    const ageMs = this.deps.now().getTime() - this.#polledAt.getTime();
    // A negative age: this clock was set back.
    if (ageMs >= freshMs || ageMs < 0) await this.#poll();
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

  /** One at a time, shared by everyone who waits for it. */
  #poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => (this.#polling = undefined));
    return this.#polling;
  }

  async #pollOnce(): Promise<void> {
    const beganAt = this.deps.now();
    this.#mark = this.#mark ? await this.#update(this.#mark) : await this.#begin();
    this.#polledAt = beganAt;
  }

  /** All later reads are newer than this mark. */
  async #begin(): Promise<Date> {
    const mark = await this.deps.choices.newestMark();
    await this.deps.reloadProviders();
    return mark;
  }

  async #update(since: Date): Promise<Date> {
    const { choices, mark, providersRevision } = await this.deps.choices.listChanged(since);
    for (const [key, models] of choices) this.#known.set(key, models);
    if (providersRevision !== undefined) await this.deps.reloadProviders(providersRevision);
    return mark;
  }
}
