import { ChangeMark } from './change-mark';

export interface ChangePollDeps<Mark> {
  /** The first poll: returns the mark after which later polls look for changes. */
  readonly begin: () => Promise<Mark>;
  /**
   * Applies the changes since a mark and returns the new mark. For `quietMs`, nothing newer than `since` has been seen.
   */
  readonly update: (since: Mark, quietMs: number) => Promise<Mark>;
  readonly isSame: (a: Mark, b: Mark) => boolean;
  readonly now: () => Date;
  /** In milliseconds; monotonic. */
  readonly clock?: (() => number) | undefined;
}

/** Follows a store's changes (see `ChangeMark`), one poll at a time; concurrent callers share a poll. */
export class ChangePoll<Mark> {
  readonly #mark: ChangeMark<Mark>;
  #polledAt = new Date(0);
  #polling: Promise<void> | undefined;

  constructor(private readonly deps: ChangePollDeps<Mark>) {
    this.#mark = new ChangeMark(deps.isSame, deps.clock);
  }

  /**
   * Reports whether there has been no successful poll, the last one began at least this long ago, or the clock has been
   * set back since then.
   */
  isOlderThan(maxAgeMs: number): boolean {
    const ageMs = this.deps.now().getTime() - this.#polledAt.getTime();
    return ageMs >= maxAgeMs || ageMs < 0;
  }

  poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => (this.#polling = undefined));
    return this.#polling;
  }

  async #pollOnce(): Promise<void> {
    const { begin, update, now } = this.deps;
    const beganAt = now();
    await this.#mark.poll(begin, update);
    this.#polledAt = beganAt;
  }
}
